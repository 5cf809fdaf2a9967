"""Whether a classifier can tell two groups apart: gradient boosting and logistic regression, cross-validated."""
import warnings

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

SEED = 7


def models():
    return {
        "gradient boosting": HistGradientBoostingClassifier(
            max_iter=60, max_leaf_nodes=8, min_samples_leaf=10, random_state=SEED),
        "logistic regression": make_pipeline(
            SimpleImputer(keep_empty_features=True), StandardScaler(),
            LogisticRegression(C=0.05, max_iter=400, random_state=SEED)),
    }


class Table:
    """Facts of many vaults as numbers; what a vault does not have is not a number."""

    def __init__(self, rows, names=None):
        self.names = names or sorted({name for row in rows for name in row})
        self.values = np.array([[float(row.get(name, np.nan)) for name in self.names] for row in rows])

    def without(self, prefix):
        kept = [index for index, name in enumerate(self.names) if not name.startswith(prefix)]
        return self.select(kept)

    def select(self, columns):
        other = object.__new__(Table)
        other.names, other.values = [self.names[index] for index in columns], self.values[:, columns]
        return other


def crossed(table, labels, folds=5):
    """AUC of each model, every vault judged by a model that was not trained on it."""
    labels = np.array(labels)
    scores = {name: np.zeros(len(labels)) for name in models()}
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=SEED).split(table.values, labels):
        for name, model in fitted(table.values[train], labels[train]).items():
            # Ranks within the fold: models of different folds have different scales.
            score = model.predict_proba(table.values[test])[:, 1]
            scores[name][test] = score.argsort(kind="stable").argsort() / len(score)
    return {name: roc_auc_score(labels, score) for name, score in scores.items()}


def held_out(table, labels, other, other_labels):
    """AUC of each model on vaults made after it was trained."""
    return {
        name: roc_auc_score(other_labels, model.predict_proba(other.values)[:, 1])
        for name, model in fitted(table.values, np.array(labels)).items()
    }


def fitted(values, labels):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: model.fit(values, labels) for name, model in models().items()}


def standard_error(labels):
    """Of an AUC that is 0.5 by nature (Hanley and McNeil, 1982)."""
    ones, zeros = int(np.sum(labels)), int(len(labels) - np.sum(labels))
    return ((ones + zeros + 1) / (12 * ones * zeros)) ** 0.5


def most_different(table, labels, count=3):
    """The facts that alone separate the groups best, each with its AUC."""
    labels = np.array(labels)
    found = []
    for index, name in enumerate(table.names):
        column = table.values[:, index]
        column = np.where(np.isnan(column), np.nanmin(column) - 1 if not np.isnan(column).all() else 0, column)
        if column.min() < column.max():
            found.append((abs(roc_auc_score(labels, column) - 0.5), name))
    return [f"{name} {0.5 + distance:.3f}" for distance, name in sorted(found, reverse=True)[:count]]
