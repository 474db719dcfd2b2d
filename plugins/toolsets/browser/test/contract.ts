import { fail } from '@agent/plugin-sdk/errors'
import type { CommandsWorld, ToolsetWorld } from '@agent/plugin-sdk/testing'

/** What the contract suites do with this plugin: all that needs no browser. `test/browser.test.ts` does the rest in a real one. */
export async function openWorld(contribution: string): Promise<ToolsetWorld | CommandsWorld> {
  const world = { config: {}, [Symbol.asyncDispose]: async () => undefined }
  if (contribution === 'own-browser')
    return {
      ...world,
      given: [
        { name: 'browser', args: '' },
        { name: 'browser', args: 'disconnect' },
      ],
      failing: { name: 'browser', args: 'borrow' },
    }
  return {
    ...world,
    workspace: '/',
    web: {
      resolve: async ({ url }, { signal }) => {
        if (url.includes('silence')) return await untilGivenUp(signal)
        throw fail('WEB_ADDRESS_REFUSED', { url, reason: 'it leads into a private network' })
      },
    },
    good: [{ tool: 'browser_console', args: { clear: false } }],
    failing: { tool: 'browser_navigate', args: { url: 'http://169.254.169.254/' } },
    hanging: { tool: 'browser_navigate', args: { url: 'http://silence.example/' } },
  }
}

function untilGivenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
}
