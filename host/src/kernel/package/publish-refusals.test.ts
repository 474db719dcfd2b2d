import { expect, test } from 'vitest'
import { obstacle, publishRefusals, refusePublishing } from './publish-refusals.ts'
import { refusals, refuse } from './refusals.ts'

/** The sentence of a refusal, and the values that it was asked to say. */
function say(sentence: (params: never) => string): { readonly text: string; readonly asked: readonly string[] } {
  const asked: string[] = []
  const params = new Proxy({}, { get: (_, name) => asked[asked.push(`<${String(name)}>`) - 1] })
  return { text: sentence(params as never), asked }
}

test.each(Object.entries({ ...publishRefusals, ...refusals }))('%s is a sentence that says what it is told', (_code, sentence) => {
  const { text, asked } = say(sentence)
  expect(text).toMatch(/\S/)
  for (const each of asked) expect(text).toContain(each)
})

test('a version that everybody would get says whether it is old or a pre-release', () => {
  const of = (latest: string): string => obstacle('tag-needed', { version: '1.0.0-beta.1', latest }).problem
  expect(of('')).toContain('although it is a pre-release;')
  expect(of('2.0.0')).toContain('although 2.0.0 is newer;')
})

test('a refusal is an error with the package, the reason and its sentence', () => {
  const problem = 'there is no README.md that says how to install, set up and remove it'
  expect(obstacle('readme-missing', {})).toEqual({ reason: 'readme-missing', problem })
  const params = { package: 'dice', reason: 'readme-missing', problem }
  expect(refusePublishing('dice', obstacle('readme-missing', {}))).toMatchObject({ code: 'PLUGIN_REFUSED', params })
  const cause = new Error('no end')
  const refused = refuse('dice', 'too-many-files', { limit: 5000 }, { cause })
  expect(refused).toMatchObject({
    ...{ code: 'PLUGIN_REFUSED', cause },
    params: { package: 'dice', reason: 'too-many-files', problem: 'it has more than 5000 files' },
  })
})
