import { expect, test } from 'vitest'
import { openEditor } from '../../../../test/support/editors/open-editor.ts'

test('a folder is the same in every spelling, and one that is none is refused', async () => {
  await using stage = await openEditor()
  const { editor, home } = stage
  const { sessionId } = await editor.begin(`${home.work}/x/..`)
  await editor.say(sessionId, 'hello')
  for (const cwd of [home.work, `${home.work}/`])
    expect(await editor.agent.request('session/list', { cwd })).toMatchObject({ sessions: [{ sessionId, cwd: home.work }] })
  expect(await editor.agent.request('session/list', { cwd: '/nowhere' })).toEqual({ sessions: [] })
  await expect(editor.agent.request('session/list', { cwd: 'work' })).rejects.toThrow('cwd is the absolute path of a folder, not "work"')
  await expect(editor.agent.request('session/list', { cursor: 'far' })).rejects.toThrow('The cursor is none that was given out')
  await expect(editor.begin('work')).rejects.toThrow('cwd is the absolute path of a folder')
  await expect(editor.begin('/nowhere')).rejects.toThrow('There is no folder /nowhere on this machine')
})

test('a session that has no key for its model does not begin', async () => {
  await using stage = await openEditor()
  const { home, again } = stage
  home.write('config.yaml', 'model: { provider: openai, default: gpt-5.1 }')
  const other = await again()
  await expect(other.begin(home.work)).rejects.toMatchObject({ code: -32000, message: expect.stringContaining('OPENAI_API_KEY') })
})
