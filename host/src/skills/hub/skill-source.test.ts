import { expect, test } from 'vitest'
import { parseSource } from './skill-source.ts'

test.each([
  ['git+https://git.example/skills.git', { type: 'git', url: 'https://git.example/skills.git', reference: 'HEAD' }],
  ['git+ssh://git@git.example/skills#v1.2', { type: 'git', url: 'ssh://git@git.example/skills', reference: 'v1.2' }],
  ['npm:@ann/skills@^1', { type: 'package', text: 'npm:@ann/skills@^1', spec: { type: 'npm', name: '@ann/skills' } }],
  ['optional:meal-plan', { type: 'optional', text: 'optional:meal-plan', name: 'meal-plan' }],
  ['file:x.tgz', { type: 'package', text: 'file:/work/x.tgz', spec: { type: 'file', path: '/work/x.tgz' } }],
])('%s is a source', (word, source) => {
  expect(parseSource(word, '/work')).toMatchObject(source)
})

test('a host stands for its index, and any other address is one', () => {
  const of = (word: string) => {
    const source = parseSource(word, '/')
    return source.type === 'index' ? source.url.href : source.type
  }
  expect(of('https://ann.example')).toBe('https://ann.example/.well-known/skills/index.json')
  expect(of('http://127.0.0.1:8080/a/index.json#x')).toBe('http://127.0.0.1:8080/a/index.json')
})

test.each([
  'git+http://git.example/skills.git',
  'git+ext::sh -c id',
  'git+https://git.example/x#--upload-pack=id',
  'git+https://git.example/x#a..b',
  'http://ann.example',
  'https://',
  'optional:',
  'optional:../data/ask-data',
  'link:.',
  'tea',
  './skills',
])('%s is none', (word) => {
  expect(() => parseSource(word, '/')).toThrow(expect.objectContaining({ code: 'USAGE' }))
})
