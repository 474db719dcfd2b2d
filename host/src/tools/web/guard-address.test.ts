import { expect, test } from 'vitest'
import { createAddressRules } from './guard-address.ts'

const names: Readonly<Record<string, readonly string[]>> = {
  'public.example': ['93.184.216.34', '2606:2800:220:1::1'],
  'scoped.example': ['fe80::1%eth0'],
  'half.example': ['93.184.216.34', '10.0.0.7'],
  'metadata.example': ['169.254.169.254'],
  localhost: ['127.0.0.1'],
}

type Settings = { website_blocklist?: readonly string[]; allow_private_urls?: boolean }

const guard = (settings: Settings = {}) => rules(settings).guard

const rules = (settings: Settings = {}) =>
  createAddressRules({
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
  ...[
    'http://192.168.1.1',
    'http://100.64.0.1',
    'http://169.254.169.254/latest',
    'https://half.example',
    'https://scoped.example',
    'https://metadata.example',
  ],
  ...['http://[::1]/', 'http://[::]/', 'http://[fe80::1]/', 'http://[fd00::1]/', 'http://[::ffff:127.0.0.1]/', 'http://[::ffff:a00:1]/'],
  ...['http://[64:ff9b::7f00:1]/', 'http://[2002:7f00:1::]/', 'http://224.0.0.1', 'http://255.255.255.255'],
  ...[
    'http://127.1/',
    'http://0177.0.0.1/',
    'http://0x7f000001/',
    'http://127.0.0.1./',
    'http://１２７.0.0.1/',
    'http://127。0。0。1/',
    'http://%31%32%37.0.0.1/',
  ],
  ...[
    'http://[::ffff:0:127.0.0.1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b:1::7f00:1]/',
    'http://[2001:0:7f00:1::]/',
    'http://[fec0::1]/',
  ],
  ...['http://[::ffff:93.184.216.34]/', 'http://[100::1]/', 'http://[ff02::1]/', 'http://[4000::1]/', 'http://[5f00::1]/'],
  ...['http://192.0.2.1', 'http://198.51.100.7', 'http://203.0.113.9', 'http://[2001:db8::1]/', 'http://[3fff::1]/', 'http://198.18.0.1'],
  ...['http://168.63.129.16/machine', 'http://192.0.0.192', 'http://192.88.99.1', 'http://[fd00:ec2::254]/latest'],
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

test.each(['https://me@public.example', 'https://me:secret@public.example', 'https://:secret@public.example/'])(
  '%s holds a name or a password, and is refused whatever is allowed',
  async (url) => {
    await expect(guard({ allow_private_urls: true })(url)).rejects.toMatchObject({
      message: expect.stringContaining('a user name or a password'),
    })
  },
)

test.each(['https://public.example../', 'https://public..example/', 'https://.public.example/'])(
  '%s has no host, and slips past no list',
  async (url) => {
    const open = guard({ allow_private_urls: true, website_blocklist: ['public.example'] })
    await expect(open(url)).rejects.toMatchObject({ message: expect.stringContaining('no name') })
  },
)

test('a name that leads nowhere is refused', async () => {
  await expect(guard()('https://none.example')).rejects.toMatchObject({ message: expect.stringContaining('leads to no address') })
})

test('a website on the list is refused with all below it, and no other', async () => {
  const blocking = guard({ website_blocklist: ['*.Blocked.example', 'public.example.'], allow_private_urls: true })
  for (const url of ['https://blocked.example/a', 'https://www.BLOCKED.example', 'https://public.example.'])
    await expect(blocking(url)).rejects.toMatchObject({ message: expect.stringContaining('website_blocklist') })
  await expect(blocking('https://unblocked.example')).resolves.toBeUndefined()
})

test('the addresses of a name are told by the same rules, those of this network only where they are allowed', async () => {
  const url = 'http://localhost:8642/'
  expect(await rules().resolve({ url: 'https://public.example', allowPrivate: false })).toEqual(names['public.example'])
  expect(await rules().resolve({ url: 'http://93.184.216.34:81', allowPrivate: false })).toEqual(['93.184.216.34'])
  await expect(rules().resolve({ url, allowPrivate: false })).rejects.toMatchObject({ code: 'WEB_ADDRESS_REFUSED' })
  expect(await rules().resolve({ url, allowPrivate: true })).toEqual(['127.0.0.1'])
  expect(await rules({ allow_private_urls: true }).resolve({ url, allowPrivate: false })).toEqual(['127.0.0.1'])
  const none = rules({ allow_private_urls: true }).resolve({ url: 'https://none.example', allowPrivate: true })
  await expect(none).rejects.toMatchObject({ message: expect.stringContaining('leads to no address') })
  const blocked = rules({ website_blocklist: ['public.example'] }).resolve({ url: 'https://public.example', allowPrivate: true })
  await expect(blocked).rejects.toMatchObject({ message: expect.stringContaining('website_blocklist') })
})
