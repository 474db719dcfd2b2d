import { expect, test } from 'vitest'
import { parseSpec } from './parse-spec.ts'

const commit = 'a'.repeat(40)

test.each([
  ['dice', { type: 'npm', text: 'dice', name: 'dice' }],
  ['npm:dice@^1.2', { type: 'npm', text: 'dice@^1.2', name: 'dice' }],
  ['@me/dice@1.0.0', { type: 'npm', text: '@me/dice@1.0.0', name: '@me/dice' }],
  [`git+https://git.test/dice.git#${commit}`, { type: 'git', url: 'git+https://git.test/dice.git', commit }],
  ['file:dice.tgz', { type: 'file', text: 'file:/work/dice.tgz', path: '/work/dice.tgz' }],
  ['file:/far/dice.tar.gz', { type: 'file', text: 'file:/far/dice.tar.gz', path: '/far/dice.tar.gz' }],
  ['link:../dice', { type: 'link', text: 'link:../dice', path: '/dice' }],
])('%s is understood', (word, spec) => {
  expect(parseSpec(word, '/work')).toMatchObject(spec)
})

test.each([
  ['', 'cannot be installed', 'NAME@1.2.3'],
  ['link:', 'cannot be installed', 'NAME@1.2.3'],
  ['-dice', 'cannot be installed', 'NAME@1.2.3'],
  ['https://dice.test/x', 'cannot be installed', 'NAME@1.2.3'],
  ['dice.tgz', 'is no package of a registry', 'file:dice.tgz'],
  ['./dice', 'is no package of a registry', 'link:./dice'],
  ['~/dice', 'is no package of a registry', 'link:~/dice'],
  ['file:dice', 'not dice.', 'file:x.tgz'],
  ['file:', 'not nothing.', 'file:x.tgz'],
  ['file:dice.tgz.exe', 'not dice.tgz.exe.', 'file:x.tgz'],
  [`git+ftp://git.test/dice#${commit}`, 'no address that git is used with', 'git+https://…#<commit>'],
  [`xgit+https://git.test/dice#${commit}`, 'cannot be installed', 'NAME@1.2.3'],
  ['git+https://git.test/dice', 'its full commit', 'git+https://git.test/dice#<40 digits>'],
  ['git+https://git.test/dice#main', 'its full commit', 'git+https://git.test/dice#<40 digits>'],
  [`git+https://git.test/dice#${commit}a`, 'its full commit', 'git+https://git.test/dice#<40 digits>'],
  [`git+https://git.test/dice#A${commit.slice(1)}`, 'its full commit', 'git+https://git.test/dice#<40 digits>'],
])('%s is refused, and a form that works is shown', (word, problem, example) => {
  expect(() => parseSpec(word, '/work')).toThrowError(
    expect.objectContaining({
      code: 'USAGE',
      params: { problem: expect.stringContaining(problem), try: `agent plugins install ${example}` },
    }),
  )
})
