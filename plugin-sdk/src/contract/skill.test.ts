import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseSkill } from './skill.ts'

const skill = (head: string, text = 'Do it.'): string => `---\n${head}\n---\n\n${text}\n`

test('frontmatter and instructions are taken apart', () => {
  const text = skill(
    'name: tea\ndescription: >\n  Makes\n  tea.\nplatforms: [linux, macos]\nenvironments: container\nrelated_skills: [coffee]\nlicense: MIT',
  )
  const tea = {
    ...{ name: 'tea', description: 'Makes tea.', platforms: ['linux', 'macos'], environments: ['container'], related: ['coffee'] },
    text: 'Do it.',
  }
  expect(parseSkill(text, parse)).toEqual({ ok: true, skill: tea })
  expect(parseSkill(`\uFEFF${text.replaceAll('\n', '\r\n')}`, parse)).toEqual({ ok: true, skill: tea })
})

test('a blueprint is taken from whichever namespace has one, as it is written', () => {
  const text = skill('name: tea\ndescription: x\nmetadata: {version: 1, one: {tags: [a]}, two: {blueprint: {key: brew}}}')
  expect(parseSkill(text, parse)).toMatchObject({ skill: { blueprint: { key: 'brew' } } })
})

test('the variables that scripts need are taken in each spelling that skills have', () => {
  const of = (head: string): unknown => {
    const parsed = parseSkill(skill(`name: tea\ndescription: x\n${head}`), parse)
    return parsed.ok ? parsed.skill.variables : parsed.problem
  }
  expect(of('required_environment_variables: [{name: TEA_KEY, prompt: "The key\n  of tea", help: y}, POT_URL]')).toEqual([
    { name: 'TEA_KEY', prompt: 'The key of tea' },
    { name: 'POT_URL' },
  ])
  expect(of('prerequisites: {env_vars: TEA_KEY, commands: [curl]}')).toEqual([{ name: 'TEA_KEY' }])
  expect(of('required_environment_variables: []\nprerequisites:')).toBeUndefined()
  for (const odd of ['[lower]', '[7]', '[[A]]', '[{prompt: x}]', '["A=b"]', '[null]'])
    expect(of(`required_environment_variables: ${odd}`)).toMatch('no list of names')
})

const partsOf = (head: string): unknown => {
  const parsed = parseSkill(skill(`name: tea\ndescription: x\n${head}`), parse)
  if (!parsed.ok) return parsed.problem
  const { requires, fallbackFor, credentialFiles, settings } = parsed.skill
  return { requires, fallbackFor, credentialFiles, settings }
}

test('gates of tools, files of the owner and settings are taken from all namespaces', () => {
  const head = `required_credential_files: [token.json, {path: google/client secret.json, description: "The\n  client"}]
metadata:
  one: {requires_toolsets: web, requires_tools: [web_search], config: [{key: tea.sort, description: The sort, default: green, prompt: Which?}]}
  two: {requires_toolsets: [browser], fallback_for_toolsets: [shop], fallback_for_tools: buy, config: {key: cups, default: 2}}
  version: 1
  list: [requires_tools]`
  expect(partsOf(head)).toEqual({
    requires: { toolsets: ['web', 'browser'], tools: ['web_search'] },
    fallbackFor: { toolsets: ['shop'], tools: ['buy'] },
    credentialFiles: [{ path: 'token.json' }, { path: 'google/client secret.json', description: 'The client' }],
    settings: [
      { key: 'tea.sort', description: 'The sort', default: 'green', prompt: 'Which?' },
      { key: 'cups', default: '2' },
    ],
  })
  expect(partsOf('metadata: {one: {requires_tools: [], config: []}}\nrequired_credential_files:')).toEqual({})
})

test.each([
  ...['requires_toolsets', 'requires_tools', 'fallback_for_toolsets', 'fallback_for_tools'].map((key) => [
    `metadata: {one: {${key}: [7]}}`,
    `has ${key} that are no list of words`,
  ]),
  ...['/etc/passwd', '../x', 'a/../b', 'a//b', '~/x', '"a\\nb"', '7', '[[a]]', '{description: x}', '"a\u202eb"'].map((path) => [
    `required_credential_files: [${path}]`,
    'has required_credential_files that are no list of paths',
  ]),
  ...['[a]', '7', '[{description: x}]', '[{key: ../x}]', '[{key: a..b}]', '[{key: __proto__}]'].map((config) => [
    `metadata: {one: {config: ${config}}}`,
    'has a config in its metadata that is no list of settings',
  ]),
])('%s is no skill', (head, problem) => {
  expect(partsOf(head)).toMatch(problem)
})

test('a line of --- in the instructions ends nothing', () => {
  expect(parseSkill(skill('name: tea\ndescription: x', 'one\n---\ntwo'), parse)).toMatchObject({
    ok: true,
    skill: { text: 'one\n---\ntwo' },
  })
})

test('a colon in an unquoted description is taken as it was meant', () => {
  const text = skill('name: tea\ndescription: Makes tea: green, "black" # and white\nplatforms: [linux]')
  expect(parseSkill(text, parse)).toMatchObject({
    ok: true,
    skill: { name: 'tea', description: 'Makes tea: green, "black" # and white', platforms: ['linux'] },
  })
})

test.each([
  ['# Tea', 'does not begin with frontmatter'],
  ['text\n---\nname: tea\n---\n', 'does not begin with frontmatter'],
  [skill('name: [tea'), 'not valid YAML'],
  [skill('- tea'), 'without fields'],
  [skill('description: x'), 'needs a name'],
  [skill('name: ../tea\ndescription: x'), 'needs a name'],
  [skill('name: tea'), 'needs a description'],
  [skill(`name: tea\ndescription: ${'x'.repeat(1025)}`), 'more than 1024 characters'],
  [skill('name: tea\ndescription: x\nplatforms: 7'), 'platforms that are no list'],
  [skill('name: tea\ndescription: x\nenvironments: [[a]]'), 'environments that are no list'],
  [skill('name: tea\ndescription: x\nrelated_skills: {a: 1}'), 'related_skills that are no list'],
  [skill('name: tea\ndescription: x', ''), 'no instructions'],
])('%j is no skill', (text, problem) => {
  expect(parseSkill(text, parse)).toMatchObject({ ok: false, problem: expect.stringContaining(problem) })
})
