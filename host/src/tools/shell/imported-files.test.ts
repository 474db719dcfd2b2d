import { expect, test } from 'vitest'
import { importedFiles } from './imported-files.ts'

const python = (...names: readonly string[]): readonly string[] => names.flatMap((name) => [`${name}.py`, `${name}/__init__.py`])

test.each([
  ['import a', python('a')],
  ['import a.b', python('a', 'a/b')],
  ['import a as b, c', python('a', 'c')],
  ['x = 1; import a', python('a')],
  ['if x: import a', python('a')],
  ['  import\ta', python('a')],
  ['import a, \\\n  b', python('a', 'b')],
  ['import a, \\\r\n  b', python('a', 'b')],
  ['from a import b', python('a', 'a/b')],
  ['from a import b, c as d', python('a', 'a/b', 'a/c')],
  ['from a import (\n  b,\n  c,\n)', python('a', 'a/b', 'a/c')],
  ['from . import a', ['__init__.py', ...python('a')]],
  ['from .a import b', python('a', 'a/b')],
  ['from .. import a', ['../__init__.py', ...python('../a')]],
  ['from ...a import b', ['../../__init__.py', ...python('../../a', '../../a/b')]],
  ['import a\nimport a', python('a')],
  ['reimport a', []],
  ['print("no import")', []],
  ['importlib', []],
])('%j may bring in %j', (text, files) => {
  expect([...importedFiles(text)].sort()).toEqual([...new Set(files)].sort())
})

const script = (name: string): readonly string[] => ['', '.js', '.mjs', '.cjs', '/index.js'].map((end) => `${name}${end}`)

test.each([
  ["import x from './a'", script('./a')],
  ['import "../a"', script('../a')],
  ["const x = require( './a' )", script('./a')],
  ['await import(`./a`)', script('./a')],
  ["export * from '/srv/a.mjs'", script('/srv/a.mjs')],
  ["import a from 'a'", []],
  ["prerequire('./a')", []],
  ["import './a\n'", []],
])('in JavaScript %j brings in %j', (text, files) => {
  expect(importedFiles(text).filter((file) => /^[./]/.test(file))).toEqual(files)
})
