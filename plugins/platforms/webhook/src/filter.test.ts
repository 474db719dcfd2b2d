import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createFilter } from './filter.ts'

const payload = JSON.parse(readFileSync(new URL('../fixtures/github-issue.json', import.meta.url), 'utf8'))

test.each<[unknown, boolean]>([
  [[], true],
  [{ field: 'action', equals: 'opened' }, true],
  [{ field: 'action', equals: 'closed' }, false],
  [{ field: 'issue.number', equals: 7 }, true],
  [{ field: 'issue.number', equals: '7' }, false],
  [{ field: 'issue.labels.1.name', equals: 'door' }, true],
  [{ field: 'action', not_equals: 'closed' }, true],
  [{ field: 'nothing', not_equals: 'closed' }, true],
  [{ field: 'issue.body', exists: true }, true],
  [{ field: 'issue.body', exists: false }, false],
  [{ field: 'issue.pull_request', missing: true }, true],
  [{ field: 'constructor', exists: true }, false],
  [{ field: 'issue.title', contains: 'bell' }, true],
  [{ field: 'issue.labels', contains: { id: 1, name: 'bug' } }, true],
  [{ field: 'issue.number', contains: 7 }, false],
  [{ field: 'action', in: ['opened', 'reopened'] }, true],
  [{ field: 'action', in: [] }, false],
  [{ field: 'issue.title', regex: '^The .* ring$' }, true],
  [{ field: 'issue.number', regex: '^\\d$' }, true],
  [{ field: 'issue', regex: '.' }, false],
  [{ field: 'action', equals: 'opened', regex: '^c' }, false],
  [
    [
      { field: 'action', equals: 'opened' },
      { field: 'sender.login', equals: 'bob' },
    ],
    false,
  ],
  [
    {
      any: [
        { field: 'action', equals: 'closed' },
        { field: 'sender.login', equals: 'ann' },
      ],
    },
    true,
  ],
  [{ all: [{ field: 'action', equals: 'opened' }, { not: { field: 'sender.login', equals: 'ann' } }] }, false],
  [{ not: { any: [{ field: 'action', equals: 'closed' }] } }, true],
])('%j is %s', (conditions, taken) => {
  expect(createFilter('filters', conditions)(payload)).toBe(taken)
})

test.each<[unknown, string]>([
  [{ field: 'a', like: 'b' }, 'has the unknown operator "like"; there are exists, missing, equals, not_equals, contains, in, regex'],
  [{ field: 'a', constructor: 'b' }, 'has the unknown operator "constructor"'],
  [{ field: 'a' }, 'says nothing about the field "a"'],
  [{ field: '', equals: 1 }, 'has a field without a name'],
  [{ equals: 1 }, 'has "equals" without a field'],
  [{}, 'has an empty condition'],
  [['a'], 'has a condition that is no mapping'],
  [{ any: [] }, 'needs a list beside "any"'],
  [{ field: 'a', in: 'b' }, 'needs a list beside "in"'],
  [{ field: 'a', exists: 'yes' }, 'needs true or false beside "exists"'],
  [{ field: 'a', regex: '(' }, 'has the regex "(", which has a "(" that is not closed'],
  [JSON.parse(`${'{"not":'.repeat(12)}{"field":"a","equals":1}${'}'.repeat(12)}`), 'nests deeper than 10 levels'],
])('%j is refused: it %s', (conditions, problem) => {
  const params = { name: 'routes.a.filters', problem: expect.stringContaining(problem) }
  expect(() => createFilter('routes.a.filters', conditions)).toThrow(expect.objectContaining({ code: 'ENV_INVALID', params }))
})
