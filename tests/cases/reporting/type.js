(texts) => {
  const changed = (field) => {
    for (const kind of ["input", "change", "search"]) {
      field.dispatchEvent(new Event(kind, { bubbles: true }));
    }
  };
  const fields = 'input:not([type]), input[type="text"], input[type="search"], textarea';
  for (const field of [...document.querySelectorAll(fields)].slice(0, 5)) {
    for (const text of [...texts, ""]) {
      field.value = text;
      changed(field);
    }
  }
  for (const choice of document.querySelectorAll("select")) {
    for (const index of [...Array.from(choice.options).keys()].slice(0, 8).reverse()) {
      choice.selectedIndex = index;
      changed(choice);
    }
  }
  for (const text of texts) location.hash = text;
  location.hash = "";
}
