import re


class Label:
    value = "PER"


class Span:
    def __init__(self, match):
        self.start_position, self.end_position = match.span()

    def get_label(self, kind):
        assert kind == "ner"
        return Label()


class Sentence:
    def __init__(self, text):
        self.text, self.spans = text, []

    @staticmethod
    def set_context_for_sentences(sentences):
        assert len(sentences) == 1

    def get_spans(self, kind):
        assert kind == "ner"
        return [Span(match) for match in re.finditer("[A-Z][a-z]+", self.text)]
