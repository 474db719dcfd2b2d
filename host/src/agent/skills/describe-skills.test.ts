import { expect, test } from 'vitest'
import { describeSkills } from './describe-skills.ts'

const mostOfAll = 16_000
const linesOf = (skills: Parameters<typeof describeSkills>[0]): readonly string[] => describeSkills(skills).split('\n').slice(1)
const textsOf = (lines: readonly string[]): readonly string[] =>
  lines.filter((line) => line.startsWith('- ')).map((line) => line.split(': ')[1] ?? '')
const bytesOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

/** Key words that no other skill has, as made of letters as words are. */
const keyword = (at: number): string => `topic${String.fromCharCode(97 + Math.floor(at / 26), 97 + (at % 26))}`
/** As people write them: what it is for comes first, and how, when and for whom follows. */
const written = (at: number, more: number) => ({
  name: `skill-${at}`,
  description: `Work with ${keyword(at)} ${'and say what was found, so that people can decide '.repeat(more)}`.trim(),
})

test('of two hundred skills with long descriptions each is found by its key word, and all are cut alike', () => {
  const skills = Array.from({ length: 200 }, (_, at) => written(at, 12))
  const lines = linesOf(skills)
  for (const [at, { name }] of skills.entries()) {
    const found = lines.filter((line) => line.includes(keyword(at)))
    expect(found, name).toEqual([expect.stringMatching(new RegExp(`^- ${name}: Work with ${keyword(at)} .+…$`))])
  }
  expect(new Set(textsOf(lines).map((text) => text.length)).size).toBe(1)
  expect(bytesOf(textsOf(lines))).toBeLessThanOrEqual(mostOfAll)
  expect(lines.at(-1)).toContain('list_skills has them as a whole')
})

test('short descriptions stay whole, and what they leave goes to the long ones', () => {
  const skills = Array.from({ length: 200 }, (_, at) => written(at, at % 2 === 0 ? 0 : 12))
  const texts = textsOf(linesOf(skills))
  const [short, long] = [0, 1].map((odd) => texts.filter((_, at) => at % 2 === odd)) as [string[], string[]]
  expect(short).toEqual(skills.filter((_, at) => at % 2 === 0).map(({ description }) => description))
  for (const text of long) expect(text.length).toBeGreaterThan(120)
  expect(bytesOf(texts)).toBeGreaterThan(mostOfAll * 0.9)
  expect(bytesOf(texts)).toBeLessThanOrEqual(mostOfAll)
})

test('a few skills are told whole, without a word about cuts', () => {
  expect(linesOf([written(0, 1), { name: 'bare', description: '' }])).toEqual([`- skill-0: ${written(0, 1).description}`, '- bare'])
})

test('the same skills give the same bytes, and one more changes no line of a set that fits', () => {
  const skills = Array.from({ length: 40 }, (_, at) => written(at, 2))
  expect(describeSkills(skills)).toBe(describeSkills(structuredClone(skills)))
  expect(linesOf([...skills, written(40, 2)]).slice(0, 40)).toEqual(linesOf(skills))
})

test('a cut never splits a character, and of three thousand skills every name is still there', () => {
  const signs = Array.from({ length: 200 }, (_, at) => ({ name: `s${at}`, description: '泡🍵'.repeat(50) }))
  for (const text of textsOf(linesOf(signs))) expect(text).toMatch(/^(?:泡🍵)+泡?…$/u)
  expect(textsOf(linesOf([{ name: 's', description: `x${'🍵'.repeat(90)}` }]))).toEqual([`x${'🍵'.repeat(79)}…`])
  expect(textsOf(linesOf([{ name: 's', description: '🍵'.repeat(90) }]))).toEqual([`${'🍵'.repeat(79)}…`])
  const many = Array.from({ length: 3000 }, (_, at) => written(at % 600, 1)).map((each, at) => ({ ...each, name: `s${at}` }))
  expect(linesOf(many).slice(0, 3000)).toEqual(many.map(({ name }) => `- ${name}`))
})
