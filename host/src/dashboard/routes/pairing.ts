import * as z from 'zod/mini'
import { resolvePlatform, withPairing } from '#rpc/pairing/open-home-pairing.ts'
import type { Changed, Pairing } from '../api.ts'
import { nothing, type Router } from '../server/router.ts'

const text = z.string().check(z.minLength(1), z.maxLength(200))

/** Who may write. */
export function addPairing(router: Router): void {
  router.add({
    ...{ method: 'GET', url: '/api/pairing', takes: nothing },
    answer: ({ context }) =>
      withPairing(context, async ({ pairing, platforms }): Promise<Pairing> => {
        const pending = platforms.flatMap((platform) => pairing.waiting(platform).map((request) => ({ platform, ...request })))
        const allowed = platforms.flatMap((platform) => pairing.approved(platform).map((person) => ({ platform, ...person })))
        return {
          pending: pending.map(({ platform, user, name = '', at }) => ({ platform, user, name, since: at })),
          allowed: allowed.map(({ platform, user, name = '' }) => ({ platform, user, name, role: 'pairing' })),
        }
      }),
  })
  router.add({
    ...{ method: 'POST', url: '/api/pairing/approve', takes: z.strictObject({ platform: text, code: text }) },
    answer: ({ context, input }) =>
      withPairing(context, async ({ pairing, platforms }): Promise<Changed> => {
        const platform = resolvePlatform(platforms, input.platform)
        const { user } = await pairing.approve(platform, input.code)
        return { said: [`${user} may write on ${platform} now, in direct messages.`], live: true }
      }),
  })
  router.add({
    ...{ method: 'POST', url: '/api/pairing/revoke', takes: z.strictObject({ platform: text, user: text }) },
    answer: ({ context, input }) =>
      withPairing(context, async ({ pairing, platforms }): Promise<Changed> => {
        const platform = resolvePlatform(platforms, input.platform)
        await pairing.revoke(platform, input.user)
        return { said: [`${input.user} is let in on ${platform} by pairing no longer.`], live: true }
      }),
  })
}
