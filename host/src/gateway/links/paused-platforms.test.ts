import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import type { LinkState, LinkStatus } from './link-status.ts'
import { createPausing, findWish, wishFor } from './paused-platforms.ts'

function createLink(state: LinkState) {
  const done: string[] = []
  const status = (): LinkStatus => ({
    ...{ platform: 'x', state, since: 0, attempts: 1, lastHeard: null, silences: 0, needsAttention: false },
  })
  const pause = async (): Promise<void> => {
    await new Promise(setImmediate)
    done.push('pause')
    state = 'paused'
  }
  return { done, status, pause, resume: () => void done.push('resume') }
}

test('a pause is kept and made once, to resume is done once, and what nobody mentioned is left alone', async () => {
  await using place = await createTemporaryStore()
  const { kv } = await place.open()
  const links = { talk: createLink('connected'), chat: createLink('fatal'), mail: createLink('retrying') }
  const follow = createPausing({ kv, links: new Map(Object.entries(links)), log: silentLog })
  await wishFor(kv, 'talk', 'paused')
  await wishFor(kv, 'chat', 'resumed')
  await wishFor(kv, 'gone', 'paused')
  await Promise.all([follow(), follow()])
  await follow()
  expect(Object.values(links).map(({ done }) => done)).toEqual([['pause'], ['resume'], []])
  expect([await findWish(kv, 'talk'), await findWish(kv, 'chat')]).toEqual(['paused', undefined])

  await wishFor(kv, 'talk', 'resumed')
  await follow()
  expect(links.talk.done).toEqual(['pause', 'resume'])
  expect(await findWish(kv, 'talk')).toBe(undefined)
})

test('what is no wish is none', async () => {
  await using place = await createTemporaryStore()
  const { kv } = await place.open()
  await kv.set('host.platforms', 'talk', 'later')
  expect(await findWish(kv, 'talk')).toBe(undefined)
})

test('a store that cannot be read stops nothing', async () => {
  await using place = await createTemporaryStore()
  const { kv } = await place.open()
  let broken = true
  const get: typeof kv.get = (...words) => (broken ? Promise.reject(new Error('the disk is gone')) : kv.get(...words))
  const talk = createLink('connected')
  const said: string[] = []
  const log = { ...silentLog, error: (text: string) => void said.push(text) }
  const follow = createPausing({ kv: { ...kv, get }, links: new Map([['talk', talk]]), log })
  await wishFor(kv, 'talk', 'paused')
  await follow()
  expect([talk.done, said]).toEqual([[], ['what is wanted of the platforms could not be read']])
  broken = false
  await follow()
  expect(talk.done).toEqual(['pause'])
})

test('a wish that comes while another one is followed is followed too', async () => {
  await using place = await createTemporaryStore()
  const { kv } = await place.open()
  const [talk, chat] = [createLink('connected'), createLink('fatal')]
  const slow = {
    ...chat,
    resume: () => {
      chat.resume()
      // Talk was looked at before.
      later = wishFor(kv, 'talk', 'paused').then(follow)
    },
  }
  let later = Promise.resolve()
  const links = new Map([
    ['talk', talk],
    ['chat', slow],
  ])
  const follow = createPausing({ kv, links, log: silentLog })
  await wishFor(kv, 'chat', 'resumed')
  await follow()
  await later
  expect([talk.done, chat.done]).toEqual([['pause'], ['resume']])
})

test('a pause that comes from another process just when it is resumed is not lost', async () => {
  await using place = await createTemporaryStore()
  const { kv } = await place.open()
  const talk = createLink('paused')
  const pause = (): Promise<void> => wishFor(kv, 'talk', 'paused')
  const slow: typeof kv = {
    ...kv,
    delete: (...words) => pause().then(() => kv.delete(...words)),
    deleteIf: (...words) => pause().then(() => kv.deleteIf(...words)),
  }
  const follow = createPausing({ kv: slow, links: new Map([['talk', talk]]), log: silentLog })
  await wishFor(kv, 'talk', 'resumed')
  await follow()
  expect(talk.done).toEqual(['resume'])
  expect(await findWish(kv, 'talk')).toBe('paused')
})
