import { expect, test } from 'vitest'
import { type BackendWish, chooseBackend, offersBackend } from './choose-backend.ts'

const backend = (id: string, ...env: readonly object[]) => ({ kind: 'image', id, plugin: { manifest: { env } } })
const key = { name: 'KEY', secret: true, required: true }
const other = { name: 'OTHER', secret: true, required: false }

/** A wish where these are ready; `blocked` are listed and cannot be used. */
function wish(ready: readonly object[], wanted = '', blocked: readonly object[] = []): BackendWish<'image'> {
  const plugins = [
    ...blocked,
    ...ready.map((each) => ({ id: 'p', contributions: [each] })),
    { id: 'x', contributions: [{ kind: 'web-backend', id: 'web' }] },
  ]
  return {
    catalog: { plugins, of: () => ready },
    kind: 'image',
    wanted,
    unknown: 'IMAGE_BACKEND_UNKNOWN',
  } as unknown as BackendWish<'image'>
}
const idOf = (asked: BackendWish<'image'>) => chooseBackend(asked)?.id

test('where nobody has chosen, a key that is set goes before the name, and a key that may be missing does not', () => {
  expect(idOf(wish([backend('b'), backend('a')]))).toBe('a')
  expect(idOf(wish([backend('a'), backend('b', other), backend('d', key), backend('c', other, key)]))).toBe('c')
  expect(idOf(wish([]))).toBeUndefined()
})

test('a choice is kept to, also where it cannot do what is asked for', () => {
  const ready = [backend('a', key), backend('b')]
  expect(idOf(wish(ready, 'b'))).toBe('b')
  expect(idOf({ ...wish(ready, 'b'), can: ({ id }) => id === 'a' })).toBeUndefined()
  expect(idOf({ ...wish(ready), can: ({ id }) => id === 'b' })).toBe('b')
})

test('a choice that nobody brings is told, with a name of the same kind that is near', () => {
  const failure = (wanted: string): unknown => {
    try {
      return chooseBackend(wish([backend('painter')], wanted))
    } catch (error) {
      return error
    }
  }
  expect(failure('paintr')).toMatchObject({ code: 'IMAGE_BACKEND_UNKNOWN', params: { backend: 'paintr', nearest: 'painter' } })
  for (const wanted of ['web', 'something-else-entirely'])
    expect(failure(wanted)).toMatchObject({ code: 'IMAGE_BACKEND_UNKNOWN', params: { backend: wanted } })
  expect((failure('something-else-entirely') as { params: object }).params).not.toHaveProperty('nearest')
})

test('a choice that is blocked is told with the reason and what to do, where there is something', () => {
  const blocked = (reason: object) => ({ id: 'image-painter', contributions: [{ kind: 'image', id: 'painter', reason }] })
  const ask = (reason: object) => () => chooseBackend(wish([], 'painter', [blocked(reason)]))
  expect(ask({ text: 'It is switched off.', fix: 'Switch it on.' })).toThrow(
    expect.objectContaining({
      code: 'PLUGIN_BLOCKED',
      params: { plugin: 'image-painter', reason: 'It is switched off.', fix: 'Switch it on.' },
    }),
  )
  expect(ask({ text: 'It is switched off.' })).toThrow(expect.objectContaining({ params: expect.objectContaining({ fix: '' }) }))
})

test('a tool is offered where something can, and where the choice is wrong; a fault of the host is no offer', () => {
  expect([offersBackend(wish([backend('a')])), offersBackend(wish([])), offersBackend(wish([backend('a')], 'b'))]).toEqual([
    true,
    false,
    true,
  ])
  const broken = { ...wish([]), catalog: { plugins: [], of: () => expect.fail('no catalog') } } as never
  expect(() => offersBackend(broken)).toThrow('no catalog')
})
