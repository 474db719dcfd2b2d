import { expect, test } from 'vitest'
import { readScript } from './script-text.ts'

test.each([
  'print(1 + 2)',
  'console.log([3, 1].map((x) => x * 2))',
  'import json; print(json.loads(x))',
  'open("a.txt").read()',
  'print("ｎet worth")',
  'dispatch(x); vms = 1',
])('%s does no harm', (text) => {
  expect(readScript(text)).toMatchObject({ harmful: false, deletesTrees: false, writes: false })
})

test.each([
  ['shutil.rmtree("a")', true, false],
  ['fs.rmSync("a")', true, false],
  ['os.remove("a")', true, false],
  ['open("a", "w")', false, true],
  ['open("a", "r+").seek(0)', false, true],
  ['Path(name).open("ab")', false, true],
  ['open(name, "w:utf-8")', false, true],
  ['fs.writeFileSync("a", "b")', false, true],
  ['os.rename("a", "b")', false, true],
  ['patch(path="a", old="b", new="c")', false, true],
  ['fs.cpSync("a", "b")', false, true],
  ['await fs.cp("a", "b")', false, true],
  ['os.link("a", "b")', false, true],
  ['os.mkfifo("a")', false, true],
  ['shu\uFF54il.rmtr\uFF45e("a")', true, false],
])('%s deletes trees: %s, writes: %s', (text, deletesTrees, writes) => {
  expect(readScript(text)).toMatchObject({ harmful: true, deletesTrees, writes })
})

test.each([
  ['runs programs', 'os.popen("ls")'],
  ['runs programs', 'require("child_process")'],
  ['runs programs', 'print(`ls`)'],
  ['runs programs', 'process.kill(1)'],
  ['runs programs', 'os.__dict__["x"]("ls")'],
  ['runs programs', 'sys._getframe()'],
  ['runs programs', 'frame.f_globals["x"]'],
  ['runs programs', 'frame.f_locals["x"]'],
  ['runs programs', 'import vm from "node:vm"'],
  ['runs programs', 'os.\u{1D42C}ystem("ls")'],
  ['hides what it does', '"\\u{72}"'],
  ['reaches the network', 'import { connect } from "net"'],
  ['reaches the network', "require('node:tls')"],
  ['reaches the network', "import('dns/promises')"],
  ['reaches the network', 'require("http2")'],
  ['reaches the network', 'import xmlrpc.client'],
  ['reaches the network', 'imaplib.IMAP4(x)'],
  ['reaches the network', 'poplib.POP3(x)'],
  ['reaches the network', 'webbrowser.open(x)'],
  ['hides what it does', 'base64.b64decode("eA==")'],
  ['hides what it does', 'chr(114)'],
  ['hides what it does', '"\\x72"'],
  ['reaches the network', 'urllib.request.urlopen("https://x.org")'],
  ['reaches the network', 'fetch("https://x.org")'],
  ['puts together what it reads', 'open(os.path.expanduser("~/a"))'],
  ['puts together what it reads', 'open("one" + "two")'],
  ['puts together what it reads', 'fs.readFileSync("a".concat(b))'],
])('a script that %s is harmful: %s', (_what, text) => {
  expect(readScript(text)).toMatchObject({ harmful: true, deletesTrees: false, writes: false })
})

test('reading a file that is named in full and putting a text together are no harm', () => {
  expect(readScript('print("a" + "b")').harmful).toBe(false)
  expect(readScript('open("/etc/hosts").read()')).toMatchObject({ harmful: false, paths: ['/etc/hosts'] })
})

test('texts that may be paths or commands are told', () => {
  const { paths, commands } = readScript(`a('one'); b("rm -r two"); c(\`three\`); d(''); e("a  b"); f("it\\"s")`)
  expect(paths).toEqual(['one', 'rm -r two', 'three', 'it\\"s'])
  expect(commands).toEqual(['rm -r two', 'a  b'])
  expect(readScript(`"${'x'.repeat(500)}"`).paths).toEqual([])
})
