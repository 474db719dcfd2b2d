import { definePlugin } from '@agent/plugin-sdk'
import * as z from 'zod'

const kept = 'How everything is now is kept as a checkpoint first, which takes this back.'

export default definePlugin({
  id: 'panel-checkpoints',
  name: 'Checkpoints',
  description: 'Shows checkpoints in the dashboard: what has changed since, and how a folder goes back.',
  panels: {
    checkpoints: {
      label: 'Checkpoints',
      group: 'look-after',
      methods: {
        state: {},
        checkpoints: { input: z.strictObject({ find: z.string().max(200).default('') }) },
        checkpoint: {},
        files: {},
        file: {},
        diff: {},
        restore: { changes: true },
        restoreEdited: { changes: true },
        restoreFile: { changes: true },
        prune: { changes: true },
      },
      pages: [
        {
          id: 'all',
          title: 'Checkpoints',
          about: 'How folders were before the agent changed files there.',
          blocks: [
            {
              type: 'detail',
              from: 'state',
              fields: [
                { key: 'state', label: 'They are', as: 'badge', tones: { 'made before the agent changes files': 'ok' } },
                { key: 'how', label: 'To turn them on', as: 'code' },
                { key: 'count', label: 'Checkpoints', as: 'number' },
                { key: 'bytes', label: 'All of them take', as: 'bytes' },
              ],
              actions: [
                { method: 'prune', label: 'Prune', confirm: 'What is too old or too much goes, as it does once a day.', when: 'hasSome' },
              ],
            },
            {
              type: 'table',
              from: 'checkpoints',
              key: 'item',
              opens: 'checkpoint',
              empty:
                'There are no checkpoints yet. The agent makes them where checkpoints.enabled is true, and in a chat that is started with agent chat --checkpoints.',
              fields: [
                { key: 'number', label: 'Checkpoint', as: 'number' },
                { key: 'at', label: 'When', as: 'time' },
                { key: 'before', label: 'Before' },
                { key: 'session', label: 'Session' },
                { key: 'folder', label: 'Folder', as: 'code' },
              ],
            },
          ],
        },
        {
          id: 'checkpoint',
          title: 'Checkpoint',
          about: 'What has changed since, and what going back does about it.',
          blocks: [
            {
              type: 'detail',
              from: 'checkpoint',
              fields: [
                { key: 'folder', label: 'Folder', as: 'code' },
                { key: 'number', label: 'Checkpoint', as: 'number' },
                { key: 'at', label: 'When', as: 'time' },
                { key: 'before', label: 'Before' },
                { key: 'session', label: 'Session' },
                { key: 'differs', label: 'Differs now' },
                { key: 'warning', label: 'Edited by hand' },
              ],
              actions: [
                { method: 'restore', label: 'Go back', when: 'isPlain', confirm: `The files below become what they were. ${kept}` },
                {
                  ...{ method: 'restoreEdited', label: 'Go back, and undo what was edited by hand', when: 'hasEdited' },
                  confirm: `Files were edited since without the agent; the list below names them, and they go back too. ${kept}`,
                },
              ],
            },
            {
              type: 'table',
              title: 'Files that differ',
              from: 'files',
              key: 'item',
              opens: 'file',
              empty: 'Nothing has changed since.',
              fields: [
                { key: 'path', label: 'File', as: 'code' },
                { key: 'since', label: 'Since then' },
                { key: 'rollback', label: 'Going back' },
                { key: 'by', label: 'Edited by hand', as: 'badge', tones: { 'by hand': 'warn' } },
              ],
            },
          ],
        },
        {
          id: 'file',
          title: 'File',
          about: 'What has changed in it since the checkpoint.',
          blocks: [
            {
              type: 'detail',
              from: 'file',
              fields: [
                { key: 'path', label: 'File', as: 'code' },
                { key: 'folder', label: 'Folder', as: 'code' },
                { key: 'number', label: 'Checkpoint', as: 'number' },
                { key: 'since', label: 'Since then' },
                { key: 'by', label: 'Edited by hand', as: 'badge', tones: { 'by hand': 'warn' } },
              ],
              actions: [
                {
                  ...{ method: 'restoreFile', label: 'Bring this file back', when: 'differs' },
                  confirm: `This file alone goes back, also where it was edited by hand. ${kept}`,
                },
              ],
            },
            { type: 'markdown', from: 'diff' },
          ],
        },
      ],
      entry: () => import('./panel.ts'),
    },
  },
  permissions: {
    host: { value: ['checkpoints'], reason: 'Lists checkpoints and what has changed since, goes back to one, and prunes them.' },
  },
})
