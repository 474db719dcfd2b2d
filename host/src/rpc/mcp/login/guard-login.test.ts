import { expect, test } from 'vitest'
import { createLoginGuard } from './guard-login.ts'

const loaded = { config: { security: { website_blocklist: [], allow_private_urls: false } } } as unknown as Parameters<
  typeof createLoginGuard
>[0]['loaded']

/** Every name leads to this machine, as its owner says at this moment. */
const guardOf = (url: string) => createLoginGuard({ name: 'desk', url, loaded, find: async () => ['127.0.0.1'] })

test.each(['https://mcp.example.com/mcp', 'https://notlocal.example/mcp', 'https://8.8.8.8/mcp', 'https://[2606:4700::1111]/mcp'])(
  '%s is of the world, wherever its name leads to: it has no private address asked',
  async (url) => {
    for (const address of ['https://127.0.0.1/token', 'https://accounts.example/token'])
      await expect(guardOf(url)(address)).rejects.toMatchObject({
        code: 'LOGIN_FAILED',
        message: expect.stringContaining('private network'),
      })
  },
)

test.each([
  'http://localhost:3000/mcp',
  'http://127.0.0.1/mcp',
  'http://[::1]/mcp',
  'http://10.0.0.8/mcp',
  'http://desk/mcp',
  'http://desk.local/mcp',
  'http://desk.local./mcp',
  'http://desk.internal/mcp',
  'http://desk.lan/mcp',
  'http://desk.home.arpa/mcp',
])('%s is of this machine or its network, and may name others of it', async (url) => {
  await expect(guardOf(url)('https://accounts.example/token')).resolves.toBeUndefined()
  await expect(guardOf(url)('http://accounts.example/token')).rejects.toThrow('not encrypted')
})
