/** Script of the editor in `npm start`: scrolls the palette to the nodes of this package. */
RED.events.on("flows:loaded", () => {
  // The palette unfolds its groups first.
  setTimeout(() => document.querySelector("[id^=red-ui-palette-container-fxdesk]")?.scrollIntoView(), 500);
});
