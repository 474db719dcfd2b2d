import { expect, test } from 'vitest'
import { commandOf } from './script-command.ts'

test.for([
  ['echo hi', ['/bin/sh', '-c', 'echo hi', 'x']],
  ['#!/bin/bash\necho hi', ['/bin/bash', '-c', '\necho hi', 'x']],
  ['#!/usr/bin/env python3\nprint(1)', ['/usr/bin/env', 'python3', '-c', '\nprint(1)']],
  ['#! /usr/bin/node\nfoo()', ['/usr/bin/node', '-e', '\nfoo()']],
  ['#!/bin/bash -eu  -o pipefail\nfalse', ['/bin/bash', '-eu', '-o', 'pipefail', '-c', '\nfalse', 'x']],
  ['#!/usr/bin/env bash -e\nfalse', ['/usr/bin/env', 'bash', '-e', '-c', '\nfalse', 'x']],
] as const)('%j is started as %j', ([text, argv]) => {
  expect(commandOf({ name: 'x', text })).toEqual(argv)
})

test.for([
  ['  \n', 'is empty'],
  ['#!/bin/constructor\n', 'begins with none of sh, bash'],
  ['#!/bin/wrong\n', 'begins with none of sh, bash'],
  ['#!/usr/bin/env\n', 'begins with none of sh, bash'],
  ['a\0b', 'is no text'],
  ['x'.repeat(100_001), 'is longer than'],
] as const)('%j is refused: it %s', ([text, problem]) => {
  expect(() => commandOf({ name: 'x', text })).toThrow(problem)
})
