class SequenceTagger:
    label_type = "ner"

    @classmethod
    def load(cls, path):
        path.write_text("a pickle can write to its own file")
        return cls()

    def predict(self, sentences, mini_batch_size):
        assert len(sentences) <= mini_batch_size
