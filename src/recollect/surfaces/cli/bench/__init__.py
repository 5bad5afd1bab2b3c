"""Evaluation of recall: public sets imported into a real store, asked through the public verbs."""
