import { expect, test } from 'vitest'
import { readVariables } from './variables.ts'

const read = (value: string | undefined) => readVariables({ find: async () => value || undefined })

test.each([
  ['true', true],
  ['YES', true],
  [' on ', true],
  ['1', true],
  ['false', false],
  ['No', false],
  ['off', false],
  ['0', false],
  [undefined, undefined],
  ['', undefined],
  ['  ', undefined],
])('the switch %j is %s', async (text, value) => {
  expect(await read(text).switch('SWITCH')).toBe(value)
})

test.each(['maybe', 'truee', '2', 'true,false'])('%j is no switch', async (text) => {
  const params = { name: 'SWITCH', problem: 'must be true or false' }
  await expect(read(text).switch('SWITCH')).rejects.toMatchObject({ code: 'ENV_INVALID', params })
})

test('ports are whole numbers; 0 only where it stands for any free one', async () => {
  expect(await read(' 6667 ').port('PORT')).toBe(6667)
  expect(await read('65535').port('PORT')).toBe(65_535)
  expect(await read('0').port('PORT', { least: 0 })).toBe(0)
  expect(await read(undefined).port('PORT')).toBeUndefined()
  for (const text of ['0', '-1', '65536', '80.5', '0x50', '1e3', 'http'])
    await expect(read(text).port('PORT'), text).rejects.toMatchObject({ params: { problem: 'must be a number from 1 to 65535' } })
})

test('lists are words between commas, text is without white space around it', async () => {
  expect(await read(' #a, b c ,,&d ').list('LIST')).toEqual(['#a', 'b c', '&d'])
  expect(await read(',').list('LIST')).toEqual([])
  expect(await read(undefined).list('LIST')).toBeUndefined()
  expect(await read(' a b ').text('TEXT')).toBe('a b')
})
