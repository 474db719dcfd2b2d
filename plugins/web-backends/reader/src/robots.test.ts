import { expect, test } from 'vitest'
import { parseRobots } from './robots.ts'

const allows = (text: string, path: string): boolean => parseRobots(text, 'agent-reader').allows(path)

test.each([
  ['nothing is asked for', '', '/a', true],
  ['all is left alone', 'User-agent: *\nDisallow: /', '/a', false],
  ['an empty rule rules nothing out', 'User-agent: *\nDisallow:', '/a', true],
  ['a folder', 'User-agent: *\nDisallow: /private/ # please', '/private/a', false],
  ['beside that folder', 'User-agent: *\nDisallow: /private/', '/public', true],
  ['the longest rule wins', 'User-agent: *\nDisallow: /a\nAllow: /a/b', '/a/b/c', true],
  ['of equal rules the one that allows', 'User-agent: *\nDisallow: /a\nAllow: /a', '/a', true],
  ['a group that names this program counts alone', 'User-agent: *\nDisallow: /\n\nUser-agent: Agent-Reader\nDisallow: /x', '/a', true],
  ['a group may name several', 'User-agent: other\nUser-agent: agent-reader\nDisallow: /x', '/x', false],
  ['a group of others is nothing to us', 'User-agent: other\nDisallow: /', '/a', true],
  ['a star', 'User-agent: *\nDisallow: /*/secret', '/a/secret.html', false],
  ['an end', 'User-agent: *\nDisallow: /*.pdf$', '/a.pdf', false],
  ['not at the end', 'User-agent: *\nDisallow: /*.pdf$', '/a.pdf?x', true],
  ['an end without a star', 'User-agent: *\nDisallow: /a$', '/ab', true],
  ['a rule before any group', 'Disallow: /\nUser-agent: *\nAllow: /', '/a', true],
])('%s', (_name, text, path, allowed) => {
  expect(allows(text, path)).toBe(allowed)
})

test('the pause that a site asks for is known', () => {
  expect(parseRobots('User-agent: *\nCrawl-delay: 2', 'agent-reader').delay).toBe(2)
  expect(parseRobots('User-agent: *\nCrawl-delay: soon', 'agent-reader').delay).toBe(0)
})

test('of more rules than anybody writes the first are kept to', () => {
  const rules = Array.from({ length: 2001 }, (_, at) => `Disallow: /${at}/`).join('\n')
  const robots = parseRobots(`User-agent: *\n${rules}`, 'agent-reader')
  expect([robots.allows('/1999/'), robots.allows('/2000/')]).toEqual([false, true])
})
