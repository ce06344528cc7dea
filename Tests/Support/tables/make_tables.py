#!/usr/bin/env python3
"""Makes the databases that the tests of table imports read: make_tables.py FOLDER"""
import sqlite3
import sys

SCHEMA = """
CREATE TABLE countries (code TEXT PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE authors (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, born DATE,
  country_code TEXT REFERENCES countries, parent_id INTEGER REFERENCES authors(id));
CREATE TABLE books (
  isbn TEXT PRIMARY KEY, title TEXT NOT NULL DEFAULT 'untitled', author_id INTEGER NOT NULL REFERENCES
  authors(id) ON DELETE CASCADE, price DECIMAL(8,2), in_print BOOLEAN DEFAULT 1, added TIMESTAMP,
  pages INTEGER, cover BLOB, UNIQUE (title, author_id));
CREATE INDEX books_by_price ON books (price DESC, title);
CREATE TABLE tags (id INTEGER PRIMARY KEY, label TEXT);
CREATE TABLE book_tags (isbn TEXT REFERENCES books(isbn), tag_id INTEGER REFERENCES tags(id));
CREATE TABLE passports (id INTEGER PRIMARY KEY, number TEXT, author_id INTEGER UNIQUE REFERENCES authors(id));
CREATE TABLE orders (shop TEXT, number INTEGER, PRIMARY KEY (shop, number));
CREATE TABLE lines (
  shop TEXT, number INTEGER, line INTEGER, amount REAL, PRIMARY KEY (shop, number, line),
  FOREIGN KEY (shop, number) REFERENCES orders(shop, number));
CREATE TABLE points (id INTEGER PRIMARY KEY, x REAL);
CREATE VIEW cheap AS SELECT * FROM books WHERE price < 10;
CREATE VIRTUAL TABLE words USING fts5(word);
"""
ROWS = """
INSERT INTO countries VALUES ('de', 'Germany'), ('fr', 'France');
INSERT INTO authors VALUES (1, 'Anna', '1950-02-03', 'de', NULL), (2, 'Ben', NULL, 'fr', 1), (7, 'Cleo', NULL,
  'xx', 2), (9, 'Dora', NULL, NULL, NULL);
DELETE FROM authors WHERE id = 9;
INSERT INTO books (isbn, title, author_id, price, in_print, added, pages, cover) VALUES
  ('a', 'One', 1, 9.9, 1, 1700000000000, 100, x'0102'), ('b', 'Two', 1, 12, 0, 1700000000500, 'many', NULL),
  ('c', 'Three', 8, NULL, NULL, NULL, 300, NULL);
INSERT INTO tags VALUES (1, 'old'), (2, 'new');
INSERT INTO book_tags VALUES ('a', 1), ('a', 2), ('b', 2), ('b', 2), ('z', 1);
INSERT INTO passports VALUES (1, 'P1', 2), (2, 'P2', NULL);
INSERT INTO orders VALUES ('x', 1), ('x', 2);
INSERT INTO lines VALUES ('x', 1, 1, 1.5), ('x', 1, 2, 2), ('x', 3, 1, 0);
INSERT INTO points VALUES (-1, 0.5), (0, 1), (5, 1.5);
"""
# Keys that are compared without case, in a table that has no row numbers.
CASELESS = """
CREATE TABLE places (name TEXT COLLATE NOCASE PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE visits (id INTEGER PRIMARY KEY, place TEXT REFERENCES places(name));
INSERT INTO places VALUES ('Ulm');
INSERT INTO visits VALUES (1, 'ULM'), (2, 'Ulm');
"""


def make(path, statements):
    database = sqlite3.connect(path)
    database.executescript(statements)
    database.commit()
    database.close()


make(sys.argv[1] + "/made.sqlite", SCHEMA + ROWS)
make(sys.argv[1] + "/caseless.sqlite", CASELESS)
