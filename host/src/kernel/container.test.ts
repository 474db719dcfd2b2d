import { expect, test } from 'vitest'
import { openScope } from './container.ts'

interface Root {
  readonly name: string
  readonly greeter: { readonly greet: () => string }
}
interface Profile {
  readonly home: { readonly path: string }
}
interface Plugin {
  readonly name: string
  readonly label: string
}

test('a part is made at its first use, once for its scope and all scopes below', () => {
  const made: string[] = []
  const root = openScope<Root>({
    name: { value: 'root' },
    greeter: {
      make: ({ name }) => {
        made.push('greeter')
        return { greet: () => `hello from ${name}` }
      },
    },
  })
  const profile = root.open<Profile>({
    home: {
      make: ({ greeter }) => {
        made.push('home')
        return { path: greeter.greet() }
      },
    },
  })
  expect(made).toEqual([])
  const first = profile.open<Plugin>({ name: { value: 'first' }, label: { make: ({ name, home }) => `${name} in ${home.path}` } })
  const second = profile.open<Plugin>({ name: { value: 'second' }, label: { make: ({ name }) => name } })
  expect(first.parts.label).toBe('first in hello from root')
  expect(second.parts.label).toBe('second')
  expect(second.parts.home).toBe(first.parts.home)
  expect(first.parts.greeter).toBe(root.parts.greeter)
  expect(made).toEqual(['greeter', 'home'])
})

test('parts that need each other in a circle are an error, not an endless loop', () => {
  const scope = openScope<{ a: string; b: string }>({ a: { make: ({ b }) => b }, b: { make: ({ a }) => a } })
  expect(() => scope.parts.a).toThrow(/cyclic/i)
})
