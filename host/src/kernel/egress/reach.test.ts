import { expect, test } from 'vitest'
import { createReach } from './reach.ts'

const at = (host: string, port = 443) => ({ host, port })

test.each([
  [['a.example'], 'a.example', '93.184.216.34', true],
  [['any'], 'b.example', '93.184.216.34', true],
  ['any' as const, 'b.example', '93.184.216.34', true],
  [['direct'], 'b.example', '93.184.216.34', true],
  [['private'], '93.184.216.34', '93.184.216.34', false],
  [['a.example'], 'a.example', '10.0.0.7', false],
  [['a.example', 'private'], 'a.example', '10.0.0.7', true],
  [['10.0.0.7'], '10.0.0.7', '10.0.0.7', true],
  [['10.0.0.7'], 'a.example', '10.0.0.7', false],
  [['localhost'], 'localhost', '127.0.0.1', true],
  [['localhost'], '127.0.0.1', '127.0.0.1', false],
  ['any' as const, 'localhost', '127.0.0.1', false],
  [['any'], '10.0.0.7', '10.0.0.7', false],
  [['direct'], '10.0.0.7', '10.0.0.7', false],
  [['any', '10.0.0.7'], '10.0.0.7', '10.0.0.7', true],
] as const)('with %j declared, may %s lead to %s: %s', (net, host, address, may) => {
  expect(createReach(net).refuseAddress(at(host), address) === undefined).toBe(may)
})

test('a name is judged before it is looked up', () => {
  const reach = createReach(['a.example:443'])
  expect([reach.refuseName(at('a.example')), reach.refuseName(at('a.example', 80)), reach.refuseName(at('b.example'))]).toEqual([
    ...[undefined, expect.stringContaining('"a.example"'), expect.stringContaining('"b.example"')],
  ])
})
