// @module-tag process
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { askedIn, call, delegate, resultsIn, toolsIn } from '../../../../test/support/agents/scripted-agents.ts'
import { openEditor } from '../../../../test/support/editors/open-editor.ts'
import type { FakeRequest } from '../../../../test/support/fakes/fake-vendor.ts'
import { runHere } from '../../../../test/support/test-cli.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'

test('a conversation: the words come piece by piece, and the next prompt knows the last', async () => {
  await using stage = await openEditor({
    answers: [{ text: ['Good ', 'morning.'], reasoning: 'A greeting.' }, { text: 'You said hello.' }],
  })
  const { editor, home, server } = stage
  const { sessionId } = await editor.begin(home.work)
  expect(await editor.say(sessionId, 'hello')).toEqual({ stopReason: 'end_turn' })
  expect(editor.of('agent_message_chunk').length).toBeGreaterThan(1)
  expect(editor.text()).toBe('Good morning.')
  const thoughts = editor.of('agent_thought_chunk').map(({ content }) => (content.type === 'text' ? content.text : ''))
  expect(thoughts.join('')).toBe('A greeting.')
  await editor.say(sessionId, 'what did I say?')
  expect(editor.text()).toBe('Good morning.You said hello.')
  expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain('Good morning.')
})

const write = (path: string, content: string) => call('write_file', { path, content })
const danger = call('terminal', { command: 'rm -rf ../gone' })

test('what is dangerous is asked in the editor: once allows it, deny does not, a closed question allows nothing', async () => {
  for (const [option, ran] of [
    ['once', true],
    ['deny', false],
    [undefined, false],
  ] as const) {
    await using stage = await openEditor({
      permit: () => option,
      answers: (request) => (JSON.stringify(request.body).includes('"tool"') ? { text: 'Done.' } : danger),
    })
    const { editor, home } = stage
    const gone = join(home.folder, 'gone')
    mkdirSync(gone)
    const { sessionId } = await editor.begin(home.work)
    expect(await editor.say(sessionId, 'remove it')).toEqual({ stopReason: 'end_turn' })
    const [asked] = editor.permissions
    expect(asked?.options.map(({ optionId, kind }) => [optionId, kind])).toEqual([
      ['once', 'allow_once'],
      ['session', 'allow_always'],
      ['always', 'allow_always'],
      ['deny', 'reject_once'],
    ])
    expect(asked?.toolCall).toMatchObject({ kind: 'execute', title: expect.stringContaining('rm -rf') })
    // The call goes on under the id of its question.
    const [updated] = editor.of('tool_call_update').slice(-1)
    expect(updated).toMatchObject({ toolCallId: asked?.toolCall.toolCallId, status: ran ? 'completed' : 'failed' })
    expect(existsSync(gone)).toBe(!ran)
  }
})

test('a mode holds for its session alone, and from the moment on', async () => {
  await using stage = await openEditor({
    permit: () => 'deny',
    answers: (request) => (JSON.stringify(request.body).includes('"tool"') ? { text: 'Done.' } : danger),
  })
  const { editor, home } = stage
  const [one, two] = [await editor.begin(home.work), await editor.begin(home.work)]
  expect(one.modes).toMatchObject({ currentModeId: 'ask' })
  await editor.agent.request('session/set_mode', { sessionId: one.sessionId, modeId: 'off' })
  expect(editor.of('config_option_update', one.sessionId)).toMatchObject([
    { configOptions: expect.arrayContaining([expect.objectContaining({ id: 'mode', currentValue: 'off' })]) },
  ])
  await editor.say(one.sessionId, 'remove it')
  expect(editor.permissions).toEqual([])
  await editor.say(two.sessionId, 'remove it')
  expect(editor.permissions.map(({ sessionId }) => sessionId)).toEqual([two.sessionId])
  await expect(editor.agent.request('session/set_mode', { sessionId: one.sessionId, modeId: 'never' })).rejects.toThrow(
    'Approvals is one of ask, smart, off',
  )
  expect(home.read('config.yaml')).not.toContain('approvals')
})

test('a mode holds for child agents, and from the next call on where it changes in the middle of a turn', async () => {
  const answered = (request: FakeRequest): boolean => resultsIn(request).length > 0
  await using stage = await openEditor({
    permit: () => 'deny',
    answers: (request) => {
      if (askedIn(request).startsWith('child')) return answered(request) ? { text: 'Removed.' } : danger
      return answered(request) ? { text: 'Done.' } : delegate({ goal: 'child' })
    },
  })
  const { editor, home } = stage
  const { sessionId } = await editor.begin(home.work)
  const choose = (value: string) => editor.agent.request('session/set_config_option', { sessionId, configId: 'mode', value })
  await choose('off')
  await editor.say(sessionId, 'hand it on')
  expect(editor.permissions).toEqual([])
  expect(editor.of('tool_call').map(({ title }) => title)).toContain('Child agent: child')
  const second = editor.say(sessionId, 'hand it on')
  await choose('ask')
  await second
  expect(editor.permissions).toMatchObject([{ toolCall: { title: 'terminal: rm -rf ../gone' } }])
})

test('what ends behind a turn is told in its session alone', async () => {
  await using stage = await openEditor({
    config: { background_process_notifications: 'all' },
    answers: [call('terminal', { command: 'exit 3', background: true }), { text: 'Started.' }],
  })
  const { editor, home } = stage
  const { sessionId } = await editor.begin(home.work)
  const { sessionId: other } = await editor.begin(home.work)
  await editor.say(sessionId, 'start it')
  await editor.until(({ sessionUpdate }) => sessionUpdate === 'agent_thought_chunk')
  expect(JSON.stringify(editor.of('agent_thought_chunk', sessionId))).toContain('exit 3')
  expect(editor.of('agent_thought_chunk', other)).toEqual([])
})

test('a session that is closed is no more, and goes on when it is opened again', async () => {
  await using stage = await openEditor()
  const { editor, home } = stage
  const { sessionId } = await editor.begin(home.work)
  await editor.say(sessionId, 'hello')
  await editor.agent.request('session/close', { sessionId })
  await expect(editor.say(sessionId, 'hello')).rejects.toThrow('session/load opens it')
  expect(await editor.agent.request('session/resume', { sessionId, cwd: home.work })).toMatchObject({ modes: { currentModeId: 'ask' } })
  await editor.say(sessionId, 'hello again')
  expect(editor.text()).toBe('Good.Good.')
})

test('a change is shown as a diff, with the place of the file', async () => {
  await using stage = await openEditor({
    answers: [
      write('notes.txt', 'one\ntwo\n'),
      write('notes.txt', 'one\nthree\n'),
      call('patch', { path: 'notes.txt', old_string: 'three', new_string: 'four' }),
      { text: 'Done.' },
    ],
  })
  const { editor, home } = stage
  const { sessionId } = await editor.begin(home.work)
  await editor.say(sessionId, 'write it')
  const path = join(home.work, 'notes.txt')
  expect(readFileSync(path, 'utf8')).toBe('one\nfour\n')
  expect(editor.of('tool_call')).toMatchObject(Array(3).fill({ kind: 'edit', status: 'in_progress', locations: [{ path }] }))
  expect(editor.of('tool_call_update').map(({ status, content }) => [status, content])).toEqual([
    ['completed', [{ type: 'diff', path, oldText: null, newText: 'one\ntwo\n' }]],
    ['completed', [{ type: 'diff', path, oldText: 'one\ntwo\n', newText: 'one\nthree\n' }]],
    ['completed', [{ type: 'diff', path, oldText: 'one\nthree\n', newText: 'one\nfour\n' }]],
  ])
})

test('what a command prints is the content of its call, and a list of tasks is a plan', async () => {
  const todos = [
    { id: 'a', content: 'read', status: 'completed' },
    { id: 'b', content: 'write: all', status: 'in_progress' },
    { id: 'c', content: 'rest', status: 'cancelled' },
  ]
  await using stage = await openEditor({
    permit: () => 'once',
    answers: [call('terminal', { command: 'cat fence.md' }), call('todo', { todos }), { text: 'Done.' }],
  })
  const { editor, home } = stage
  writeFileSync(join(home.work, 'fence.md'), '```\nin a fence\n```\n')
  const { sessionId } = await editor.begin(home.work)
  await editor.say(sessionId, 'go')
  const [ran] = editor.of('tool_call_update').filter(({ rawOutput }) => rawOutput !== undefined)
  expect(JSON.stringify(ran?.content)).toContain('````console\\n```')
  expect(editor.of('plan')).toMatchObject([
    {
      entries: [
        { content: 'read', status: 'completed' },
        { content: 'write: all', status: 'in_progress' },
      ],
    },
  ])
})

test('a session that is closed in the middle of a turn was cancelled, and nobody is asked any more', async () => {
  const never = new Promise<string>(() => undefined)
  await using stage = await openEditor({ permit: () => never, answers: [danger, { text: 'Good.' }] })
  const { editor, home } = stage
  const { sessionId } = await editor.begin(home.work)
  const prompt = editor.say(sessionId, 'remove it')
  await editor.asked(1)
  await editor.agent.request('session/close', { sessionId })
  expect(await prompt).toEqual({ stopReason: 'cancelled' })
})

test('an answer that was not offered allows nothing', async () => {
  await using stage = await openEditor({
    permit: () => 'whatever',
    answers: (request) => (JSON.stringify(request.body).includes('"tool"') ? { text: 'Done.' } : danger),
  })
  const { editor, home } = stage
  mkdirSync(join(home.folder, 'gone'))
  const { sessionId } = await editor.begin(home.work)
  expect(await editor.say(sessionId, 'remove it')).toEqual({ stopReason: 'end_turn' })
  expect(existsSync(join(home.folder, 'gone'))).toBe(true)
})

test('cancel ends the prompt with that reason, and takes an open question away', async () => {
  const never = new Promise<string>(() => undefined)
  await using stage = await openEditor({ permit: () => never, answers: [danger, { hang: 'headers' }] })
  const { editor, home } = stage
  const { sessionId } = await editor.begin(home.work)
  const prompt = editor.say(sessionId, 'remove it')
  await editor.asked(1)
  await editor.cancel(sessionId)
  expect(await prompt).toEqual({ stopReason: 'cancelled' })
  const second = editor.say(sessionId, 'wait')
  await expect(editor.say(sessionId, 'and this')).rejects.toThrow('answers a prompt already')
  await editor.cancel(sessionId)
  expect(await second).toEqual({ stopReason: 'cancelled' })
})

test('another editor loads the session: it hears all that was said and goes on', async () => {
  await using stage = await openEditor({
    answers: [call('todo', { todos: [{ id: 'a', content: 'read' }] }), { text: 'Noted.' }, { text: 'You said hello.' }],
  })
  const { editor, home, again } = stage
  const { sessionId } = await editor.begin(home.work)
  await editor.say(sessionId, 'hello')
  const other = await again()
  expect(await other.agent.request('session/list', { cwd: home.work })).toMatchObject({
    sessions: [{ sessionId, cwd: home.work, title: 'hello' }],
  })
  await other.agent.request('session/load', { sessionId, cwd: home.work, mcpServers: [] })
  expect(other.updates.map(({ update }) => update.sessionUpdate).slice(0, 5)).toEqual([
    'user_message_chunk',
    'tool_call',
    'tool_call_update',
    'plan',
    'agent_message_chunk',
  ])
  expect(other.text()).toBe('Noted.')
  await other.say(sessionId, 'what did I say?')
  expect(other.text()).toBe('Noted.You said hello.')
  const third = await again()
  await third.agent.request('session/resume', { sessionId, cwd: home.work })
  expect(third.text()).toBe('')
  await expect(third.agent.request('session/load', { sessionId: 'ses_none', cwd: home.work, mcpServers: [] })).rejects.toMatchObject({
    code: -32002,
    message: expect.stringContaining('ses_none'),
  })
})

test('two sessions work side by side, each in its own folder', async () => {
  await using stage = await openEditor({
    answers: (request) => {
      const asked = JSON.stringify(request.body.messages)
      return asked.includes('Wrote') ? { text: 'Done.' } : write('here.txt', asked.includes('left') ? 'left' : 'right')
    },
  })
  const { editor, home } = stage
  const folders = ['left', 'right'].map((name) => join(home.work, name))
  for (const folder of folders) mkdirSync(folder)
  const begun = await Promise.all(folders.map((folder) => editor.begin(folder)))
  await Promise.all(begun.map(({ sessionId }, at) => editor.say(sessionId, at === 0 ? 'go left' : 'go right')))
  expect(folders.map((folder) => readFileSync(join(folder, 'here.txt'), 'utf8'))).toEqual(['left', 'right'])
  for (const { sessionId } of begun) expect(editor.text(sessionId)).toBe('Done.')
})

test('a prompt holds files, links and pictures, and what cannot be read is refused in words', async () => {
  await using stage = await openEditor()
  const { editor, home, server } = stage
  const { sessionId } = await editor.begin(home.work)
  const say = (...prompt: Parameters<typeof editor.prompt>[1]) => editor.prompt(sessionId, prompt)
  const picture = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64')
  await say(
    { type: 'text', text: 'look' },
    { type: 'resource_link', name: 'a.ts', uri: 'file:///srv/my%20work/a.ts' },
    { type: 'resource', resource: { uri: 'file:///srv/b.ts', text: 'const b = 1' } },
    { type: 'image', mimeType: 'image/png', data: picture },
  )
  const heard = JSON.stringify(server.requests.at(-1)?.body.messages)
  for (const part of ['[a.ts](/srv/my work/a.ts)', 'const b = 1', `data:image/png;base64,${picture}`]) expect(heard).toContain(part)
  await expect(say({ type: 'audio', mimeType: 'audio/wav', data: 'AAAA' })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('audio'),
  })
  await expect(say({ type: 'text', text: ' ' })).rejects.toThrow('The prompt is empty.')
  await expect(say({ type: 'image', mimeType: 'text/html', data: 'AAAA' })).rejects.toThrow('"text/html"')
})

test('slash commands answer without the model; those that an editor does itself say so', async () => {
  await using stage = await openEditor()
  const { editor, home, server } = stage
  const { sessionId } = await editor.begin(home.work)
  const offered = await editor.until(({ sessionUpdate }) => sessionUpdate === 'available_commands_update')
  const names = offered.sessionUpdate === 'available_commands_update' ? offered.availableCommands.map(({ name }) => name) : []
  expect(names).toContain('status')
  expect(names).not.toContain('new')
  expect(await editor.say(sessionId, '/reasoning high')).toEqual({ stopReason: 'end_turn' })
  expect(editor.text()).toContain('Thinking: high')
  expect(editor.of('config_option_update')).toMatchObject([
    { configOptions: expect.arrayContaining([expect.objectContaining({ id: 'thinking', currentValue: 'high' })]) },
  ])
  await expect(editor.say(sessionId, '/new')).rejects.toThrow('Begin a new thread in the editor instead.')
  expect(server.requests).toEqual([])
})

test('another model answers a session that chooses it', async () => {
  const other = { provider: 'custom', model: 'other-model' }
  await using stage = await openEditor({ models: ['fake-model', 'other-model'], config: { fallback_providers: [other] } })
  const { editor, home, server } = stage
  const { sessionId } = await editor.begin(home.work)
  const choose = (configId: string, value: string) => editor.agent.request('session/set_config_option', { sessionId, configId, value })
  await choose('model', 'custom:other-model')
  await editor.say(sessionId, 'hello')
  expect(server.requests.at(-1)?.body.model).toBe('other-model')
  await expect(choose('model', 'custom:none')).rejects.toThrow('Model is one of custom:')
  await expect(choose('colour', 'red')).rejects.toThrow('There is no option colour.')
})

test('a turn that fails is a failed request, and without a model the editor is told to set one up', async () => {
  await using stage = await openEditor({ answers: [{ refuse: { status: 400, message: 'no such thing' } }] })
  const { editor, home, again } = stage
  const { sessionId } = await editor.begin(home.work)
  await expect(editor.say(sessionId, 'hello')).rejects.toMatchObject({ code: -32603, message: expect.stringContaining('no such thing') })
  home.write('config.yaml', 'model: { provider: none }')
  const other = await again({ can: { auth: { terminal: true } } })
  await expect(other.begin(home.work)).rejects.toMatchObject({ code: -32000, message: expect.stringContaining('No inference provider') })
  await expect(other.agent.request('authenticate', { methodId: 'setup' })).rejects.toMatchObject({ code: -32000 })
  expect((await other.initialize()).authMethods).toMatchObject([{ id: 'setup', type: 'terminal', args: ['--setup'] }])
})

test('a question of the agent is a form where the editor has forms, and a choice where it has none', async () => {
  const question = { question: 'Which colour?', choices: ['red', 'blue'] }
  const answers = [call('clarify', question), { text: 'Good.' }]
  await using forms = await openEditor({ answers, can: { elicitation: { form: {} } }, fill: () => 'green' })
  await forms.editor.say((await forms.editor.begin(forms.home.work)).sessionId, 'paint')
  expect(forms.editor.forms).toEqual(['Which colour?'])
  expect(JSON.stringify(forms.server.requests.at(-1)?.body.messages)).toContain('green')
  await using choices = await openEditor({ answers, permit: () => '1' })
  await choices.editor.say((await choices.editor.begin(choices.home.work)).sessionId, 'paint')
  expect(choices.editor.permissions).toMatchObject([{ toolCall: { title: 'Which colour?' } }])
  expect(JSON.stringify(choices.server.requests.at(-1)?.body.messages)).toContain('blue')
})

test('settings may give editors fewer tools', async () => {
  await using stage = await openEditor({ config: { platforms: { acp: { toolsets: ['todo'] } } } })
  const { editor, home, server } = stage
  await editor.say((await editor.begin(home.work)).sessionId, 'hello')
  expect(toolsIn(server.requests.at(-1) ?? never())).toEqual(['todo'])
  const { out, note } = await runHere(home, ['doctor'])
  expect(out + note).not.toContain('platforms.acp')
})

test('the check says what would answer an editor, and what is missing', async () => {
  using home = openTestHome()
  home.write('config.yaml', 'model: { provider: offline, default: offline }')
  expect(await runHere(home, ['acp', '--check'])).toMatchObject({ code: 0, out: expect.stringContaining('offline/offline answers') })
  home.write('config.yaml', 'model: { provider: none }')
  expect(await runHere(home, ['acp', '--check'])).toMatchObject({
    code: 1,
    out: '',
    note: expect.stringContaining('No inference provider'),
  })
})

function never(): never {
  throw new Error('The model was asked nothing.')
}

test('sessions of people of platforms are not opened, shown or gone on with', async () => {
  await using stage = await openEditor()
  const { editor, home } = stage
  const { sessionId } = await editor.begin(home.work)
  await editor.say(sessionId, 'hello')
  const database = new Database(join(home.home, 'state.db'))
  database.prepare("UPDATE sessions SET owner = 'telegram:ben' WHERE id = ?").run(sessionId)
  database.close()
  const other = await stage.again()
  expect(await other.agent.request('session/list', { cwd: home.work })).toEqual({ sessions: [] })
  for (const method of ['session/load', 'session/resume'] as const)
    await expect(other.agent.request(method, { sessionId, cwd: home.work, mcpServers: [] })).rejects.toThrow(sessionId)
  expect(other.text()).toBe('')
})
