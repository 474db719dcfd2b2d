/** What runs, or asks another host, wherever a page takes a text for more than a text. */
export const attack = [
  '<script>window.owned = true</script><img src=x onerror="window.owned = true"><svg onload="window.owned = true">',
  '[one](javascript:window.owned=true) ![two](https://evil.example/two.png) <a href="javascript:window.owned=true">three</a>',
].join(' ')

/** What the page goes by: kinds, states and names by which it finds something again. */
const wires =
  /^(?:id|type|state|status|kinds?|from|as|submit|method|key|opens|group|plugin|theme|turn|session|stop|level|choices|at|seq|revision|task|ticket)$/

/** The same answer as if its author meant harm: each text and each address that a person is to read. */
export function spoil<T>(value: T, name = ''): T {
  if (typeof value === 'string') {
    if (wires.test(name)) return value
    return (/address/i.test(name) ? 'javascript:window.owned=true' : `${value} ${attack}`) as T
  }
  if (Array.isArray(value)) return value.map((part) => spoil(part, name)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, spoil(part, key)])) as T
}
