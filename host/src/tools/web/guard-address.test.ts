import { expect, test } from 'vitest'
import { createAddressGuard } from './guard-address.ts'

const names: Readonly<Record<string, readonly string[]>> = {
  'public.example': ['93.184.216.34', '2606:2800:220:1::1'],
  'half.example': ['93.184.216.34', '10.0.0.7'],
  'metadata.example': ['169.254.169.254'],
  localhost: ['127.0.0.1'],
}

const guard = (settings: { website_blocklist?: readonly string[]; allow_private_urls?: boolean } = {}) =>
  createAddressGuard({
    settings: () => ({ website_blocklist: [], allow_private_urls: false, ...settings }),
    lookup: async (name) => names[name] ?? Promise.reject(new Error('no such name')),
  })

test.each(['https://public.example/a?b#c', 'http://93.184.216.34', 'https://[2606:2800:220:1::1]/', 'https://public.example./'])(
  '%s may be asked',
  async (url) => {
    await expect(guard()(url)).resolves.toBeUndefined()
  },
)

test.each([
  ...[
    'http://localhost',
    'http://127.0.0.1:8642/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0/',
    'http://10.1.2.3',
    'http://172.31.0.1',
  ],
  ...['http://192.168.1.1', 'http://100.64.0.1', 'http://169.254.169.254/latest', 'https://half.example', 'https://metadata.example'],
  ...['http://[::1]/', 'http://[::]/', 'http://[fe80::1]/', 'http://[fd00::1]/', 'http://[::ffff:127.0.0.1]/', 'http://[::ffff:a00:1]/'],
  ...['http://[64:ff9b::7f00:1]/', 'http://[2002:7f00:1::]/', 'http://224.0.0.1', 'http://255.255.255.255'],
])('%s leads into a private network', async (url) => {
  await expect(guard()(url)).rejects.toMatchObject({ code: 'WEB_ADDRESS_REFUSED', message: expect.stringContaining('private network') })
  await expect(guard({ allow_private_urls: true })(url)).resolves.toBeUndefined()
})

test.each(['', 'public.example', 'file:///etc/passwd', 'ftp://public.example', 'javascript:alert(1)', 'http://'])(
  '%j is refused whatever is allowed',
  async (url) => {
    await expect(guard({ allow_private_urls: true })(url)).rejects.toMatchObject({ message: expect.stringContaining('no http or https') })
  },
)

test('a name that leads nowhere is refused', async () => {
  await expect(guard()('https://none.example')).rejects.toMatchObject({ message: expect.stringContaining('leads to no address') })
})

test('a website on the list is refused with all below it, and no other', async () => {
  const blocking = guard({ website_blocklist: ['*.Blocked.example', 'public.example'], allow_private_urls: true })
  for (const url of ['https://blocked.example/a', 'https://www.BLOCKED.example', 'https://public.example.'])
    await expect(blocking(url)).rejects.toMatchObject({ message: expect.stringContaining('website_blocklist') })
  await expect(blocking('https://unblocked.example')).resolves.toBeUndefined()
})
