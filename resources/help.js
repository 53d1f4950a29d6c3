/** Custom element that loads the help of a node below its summary when it is shown. */

import { translate } from "./form-texts.js";

const sectionsByKey = new Map();

/** Loads the help of a type once. A failed request is retried the next time. */
function loadSections(type, language) {
  const key = `${language}/${type}`;
  if (!sectionsByKey.has(key)) {
    // The editor adds its access token to jQuery requests.
    const sections = $.ajax({ url: `fxdesk/help/${type}`, data: { lang: language }, dataType: "html" });
    sectionsByKey.set(key, sections);
    sections.fail(() => sectionsByKey.delete(key));
  }
  return sectionsByKey.get(key);
}

/** Makes a section foldable, like the editor's own help sections. */
function makeFoldable(heading) {
  const link = $('<a class="red-ui-help-info-header expanded" href="#" aria-expanded="true">');
  link.append('<i class="fa fa-angle-right">', heading.contents()).appendTo(heading);
  link.on("click", (event) => {
    event.preventDefault();
    const isOpen = !link.hasClass("expanded");
    heading.nextUntil("h3").toggle(isOpen);
    link.toggleClass("expanded", isOpen).attr("aria-expanded", String(isOpen));
  });
}

class NodeHelp extends HTMLElement {
  async connectedCallback() {
    const element = $(this).attr("aria-busy", "true");
    const state = $('<p role="status">').appendTo(element.empty());
    const showState = (key) => state.text(translate(key));
    showState("form.helpLoading");
    try {
      // Always filled asynchronously: the editor is still processing the content at this point.
      element.html(await loadSections(element.attr("type"), translate("form.language")));
      for (const heading of element.find("h3")) makeFoldable($(heading));
    } catch {
      showState("form.helpFailed");
    }
    element.attr("aria-busy", "false");
  }
}

customElements.define("fxdesk-help", NodeHelp);
