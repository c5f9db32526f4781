(state) => {
  const shapes = {}, addresses = [], texts = [];
  const told = ["href", "src", "srcset", "action", "formaction", "data", "poster", "ping", "cite"];
  for (const element of document.querySelectorAll("*")) {
    const names = [];
    for (const { name, localName, value } of element.attributes) {
      if (!state.includes(name)) names.push(name);
      if (told.includes(localName)) addresses.push(value);
      if (["title", "aria-label", "alt", "placeholder"].includes(name)) texts.push(value);
    }
    const shape = `${element.namespaceURI.split("/").pop()} ${element.localName} ${names.sort()}`;
    shapes[shape] = (shapes[shape] ?? 0) + 1;
  }
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  let text = "";
  while (walker.nextNode()) {
    const { parentNode } = walker.currentNode;
    if (!["SCRIPT", "STYLE"].includes(parentNode.nodeName)) text += walker.currentNode.data;
  }
  return [shapes, addresses, [text, ...texts].join(" ").replace(/\s+/g, " ")];
}
