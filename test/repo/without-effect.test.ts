import { expect, test } from 'vitest'
import { effectOfVariable, keysWithoutEffect } from '../../host/docs/generate/without-effect.ts'
import { variables } from '../../host/src/config/environment/variables.ts'
import { openKeys } from '../../host/src/config/schema/keys.ts'
import { isTest, listFiles, readText } from './source-files.ts'

const readers = [...listFiles('host/src', /\.ts$/).filter((file) => !file.startsWith('host/src/config/')), ...listFiles('plugins', /\.ts$/)]
  .filter((file) => !isTest(file))
  .map((file) => ({ file, text: readText(file) }))

test('what the reference says has no effect exists, and nothing reads it', () => {
  const { all } = openKeys()
  for (const key of keysWithoutEffect)
    expect(
      all.some((one) => one === key || one.startsWith(`${key}.`)),
      key,
    ).toBe(true)
  const read = keysWithoutEffect.flatMap((key) => {
    const access = new RegExp(`\\bconfig\\.${key.replaceAll('.', '\\.')}\\b`)
    return readers.filter(({ text }) => access.test(text)).map(({ file }) => `${file} reads ${key}`)
  })
  expect(read).toEqual([])
})

test('what the reference says of variables is true', () => {
  const names = variables.map(({ name }) => name).filter((name) => name.startsWith('AGENT_'))
  const isRead = (name: string): boolean => readers.some(({ text }) => text.includes(`'${name}'`))
  expect(names.filter((name) => effectOfVariable(name) !== '' && isRead(name))).toEqual([])
  // Those that shadow a key are applied by the configuration, and AGENT_HOME is read before there is one.
  const own = variables
    .filter(({ name, key }) => name.startsWith('AGENT_') && key === undefined && name !== 'AGENT_HOME')
    .map(({ name }) => name)
  expect(own.filter((name) => effectOfVariable(name) === '' && !isRead(name))).toEqual([])
})
