import { expect, test } from 'vitest'
import { buildSystemPrompt } from '../turn/prompt.ts'
import { changedRules } from './changed-rules.ts'
import type { RuleFile, Rules } from './read-rules.ts'

const workspace = '/code/shop/web'
const top: RuleFile = { path: '/code/shop/AGENTS.md', text: 'Use tabs.' }
const near: RuleFile = { path: '/code/shop/web/AGENTS.md', text: 'Use spaces.' }

function changed(before: readonly RuleFile[], now: Partial<Rules> | undefined, folder = workspace) {
  const system = buildSystemPrompt({ workspace, day: '2026-11-29', tools: true, skills: [], memory: '', rules: { files: before } })
  return changedRules(system, { workspace: folder, now: () => now && { files: [], notes: [], ...now } })
}
const nothing = { files: [], gone: [], notes: [] }

test('files as the prompt has them are not read again', () => {
  expect(changed([top, near], { files: [top, near] })).toEqual(nothing)
  expect(changed([], { files: [] })).toEqual(nothing)
})

test('files that have changed or are new are read again, and those that are gone are named', () => {
  const other = { ...top, text: 'Use tabs. And commas.' }
  expect(changed([top], { files: [other, near] })).toEqual({ ...nothing, files: [other, near] })
  expect(changed([other], { files: [top] })).toEqual({ ...nothing, files: [top] })
  expect(changed([top, near], { files: [top] })).toEqual({ ...nothing, gone: [near.path] })
})

test('where rules are left out nothing is read again, and nothing is said to be gone', () => {
  expect(changed([top, near], undefined)).toEqual(nothing)
})

test('a session that goes on in another folder keeps the rules of its first one', () => {
  const there = { path: '/code/post/AGENTS.md', text: 'Use dots.' }
  expect(changed([near], { files: [there] }, '/code/post')).toEqual({ ...nothing, files: [there] })
})

test('what is left out is said once more, but not of a file that is as it was', () => {
  const notes = [`${top.path} holds characters that nobody sees (1); they are left out.`, `${near.path} is not followed, because ...`]
  expect(changed([top, near], { files: [top], notes })).toEqual({ files: [], gone: [near.path], notes: notes.slice(1) })
})

test('words among the rules that look like another file break nothing', () => {
  const text = ['<rules file="\\x">', '<rules file="">', '<rules file="/code/shop/\\u00e9.md">'].join('\n')
  expect(changed([{ ...top, text }], { files: [{ ...top, text }] })).toEqual({ ...nothing, gone: ['', '/code/shop/é.md'].slice(1) })
})
