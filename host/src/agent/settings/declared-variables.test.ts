import { expect, test } from 'vitest'
import { listDeclared } from './declared-variables.ts'

type Options = Parameters<typeof listDeclared>

const listed = (name: string, more: object = {}) => ({ name, secret: false, required: false, prompt: '', ...more })

function declare(env: readonly object[]) {
  const contributes = { providers: [], platforms: [{ id: 'talk', label: 'Talk' }] }
  const plugins = [{ id: 'platform-talk', installed: { manifest: { env, contributes, permissions: {} } } }]
  const found = listDeclared({ environment: undefined } as unknown as Options[0], { plugins } as unknown as Options[1])
  return (name: string) => found.filter((one) => one.name === name)
}

test('a variable that every platform has is told in the words of the manifest that lists it, with its values', () => {
  const of = declare([
    listed('TALK_ALLOWED_USERS', { prompt: 'Ids of friends', required: true, url: 'https://talk.example/ids' }),
    listed('TALK_ALLOW_ALL_USERS', { prompt: 'Let everybody in' }),
    listed('TALK_REQUIRE_MENTION'),
  ])
  expect(of('TALK_ALLOWED_USERS')).toMatchObject([{ prompt: 'Ids of friends', required: true, url: 'https://talk.example/ids' }])
  expect(of('TALK_ALLOW_ALL_USERS')).toMatchObject([{ prompt: 'Let everybody in', value: 'switch' }])
  expect(of('TALK_REQUIRE_MENTION')).toMatchObject([{ prompt: 'platforms.talk.require_mention' }])
})
