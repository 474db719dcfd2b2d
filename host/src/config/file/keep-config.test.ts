import { expect, test } from 'vitest'
import { parseConfigFile } from './config-file.ts'
import { keepConfig } from './keep-config.ts'

test('a text is read once for each file, again where it has changed, and a broken one each time', () => {
  const keep = keepConfig()
  let reads = 0
  const read = (file: string, text: string) =>
    keep(file, text, (...given) => {
      reads++
      return parseConfigFile(...given)
    })
  const first = read('/a', 'model: { default: m }\n')
  const values = first.value as { model: { default: string } }
  values.model.default = 'changed by who asked'
  expect(read('/a', 'model: { default: m }\n').value).toMatchObject({ model: { default: 'm' } })
  expect(reads).toBe(1)
  read('/b', 'model: { default: m }\n')
  expect(read('/a', 'model: { default: n }\n').value).toMatchObject({ model: { default: 'n' } })
  expect(reads).toBe(3)
  for (let time = 0; time < 2; time++) expect(() => read('/a', 'model: [')).toThrow(expect.objectContaining({ code: 'CONFIG_BROKEN' }))
  expect(reads).toBe(5)
})
