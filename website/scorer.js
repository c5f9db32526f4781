// Weights of the search: a page whose title has the word stands before a module that does.
var Scorer = {
  objNameMatch: 8,
  objPartialMatch: 2,
  objPrio: { 0: 0, 1: 0, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
