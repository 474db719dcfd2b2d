import * as z from 'zod/mini'
import { resolvePlatform, withPairing } from '#rpc/pairing/open-home-pairing.ts'
import { tellLetIn } from '#rpc/pairing/tell-let-in.ts'
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
      withPairing(context, async (opened): Promise<Changed> => {
        const platform = resolvePlatform(opened.platforms, input.platform)
        const person = await opened.pairing.approve(platform, input.code)
        const told = await tellLetIn(opened, platform, person)
        return { said: [`${person.user} may write on ${platform} now, in direct messages.`, told], live: true }
      }),
  })
  router.add({
    ...{ method: 'POST', url: '/api/pairing/revoke', takes: z.strictObject({ platform: text, user: text }) },
    answer: ({ context, input }) =>
      withPairing(context, async ({ pairing, platforms }): Promise<Changed> => {
        const platform = resolvePlatform(platforms, input.platform)
        const ended = await pairing.revoke(platform, input.user)
        const said =
          ended > 0 ? `${input.user} is let in on ${platform} by pairing no longer.` : `The code of ${input.user} is worthless now.`
        return { said: [said], live: true }
      }),
  })
}
