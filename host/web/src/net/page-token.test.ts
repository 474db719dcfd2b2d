import { expect, test } from 'vitest'
import { createPageToken } from './page-token.ts'

const pageOf = (token: string, script = 'assets/app-1.js'): string =>
  `<head><meta name="csp-nonce" content="n" /><meta name="agent-token" content="${token}" /><script type="module" src="${script}"></script>`

function createRig(page: string) {
  const kept = new Map<string, string>()
  const rig = { page, loads: 0, reloads: 0, now: 1_000_000 }
  const open = () =>
    createPageToken({
      served: { token: 'first', script: 'assets/app-1.js' },
      load: async () => {
        rig.loads++
        if (rig.page === '') throw new TypeError('failed')
        return rig.page
      },
      reload: () => void rig.reloads++,
      now: () => rig.now,
      store: { getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => void kept.set(key, text) },
    })
  return { rig, open }
}

test('the token of a dashboard that was started again is taken over, by one question for all who ask', async () => {
  const { rig, open } = createRig(pageOf('second'))
  const token = open()
  expect(token.value()).toBe('first')
  expect(await Promise.all([token.renew(), token.renew()])).toEqual([true, true])
  expect([token.value(), rig.loads, rig.reloads]).toEqual(['second', 1, 0])
})

test.each([
  ['the same token', pageOf('first')],
  ['no token, because it wants a login', pageOf('')],
  ['no page', ''],
  ['something else', '<html>502'],
])('a server that has %s changes nothing', async (_, page) => {
  const { rig, open } = createRig(page)
  const token = open()
  expect(await token.renew()).toBe(false)
  expect([token.value(), rig.reloads]).toEqual(['first', 0])
})

test('a page whose program is another one now is loaded again, and not in a circle', async () => {
  const { rig, open } = createRig(pageOf('second', 'assets/app-2.js'))
  expect(await open().renew()).toBe(false)
  expect(rig.reloads).toBe(1)
  // The same page after its reload.
  const again = open()
  rig.now += 9_999
  await again.renew()
  expect(rig.reloads).toBe(1)
  rig.now += 1
  await again.renew()
  expect([again.value(), rig.reloads]).toEqual(['first', 2])
})
