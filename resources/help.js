/** The help of a node below its summary: an element that reads it from the runtime when it is shown. */

const read = new Map();

/** A help is read once; one that could not be read is asked for again. */
function sectionsOf(type, language) {
  const key = `${language}/${type}`;
  if (!read.has(key)) {
    // The editor's own request carries its token.
    const sections = $.ajax({ url: `fxdesk/help/${type}`, data: { lang: language }, dataType: "html" });
    read.set(key, sections);
    sections.fail(() => read.delete(key));
  }
  return read.get(key);
}

/** Lets a section fold, as the editor does with those that it is given at once. */
function foldAt(heading) {
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
    const say = (key) => state.text(RED.nodes.getType(element.attr("type"))._(key));
    say("form.helpWaits");
    try {
      // Filled later even where it is known, for the editor is not done yet with what it was given.
      element.html(await sectionsOf(element.attr("type"), element.attr("language")));
      for (const heading of element.find("h3")) foldAt($(heading));
    } catch {
      say("form.helpFailed");
    }
    element.attr("aria-busy", "false");
  }
}

customElements.define("fxdesk-help", NodeHelp);
