"""Words and grammar of talk: sentences, speech acts, subjects, dates, concepts, wordings."""
