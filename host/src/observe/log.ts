import { join } from 'node:path'
import type { Clock, Log } from '@agent/plugin-sdk'
import type { LogName } from './format-line.ts'
import { formatLine, type LogLevel } from './format-line.ts'
import { type LogFile, openLogFile } from './log-file.ts'
import { maskText, maskValue } from './mask.ts'
import { showJson, showText } from './printable.ts'

export interface LogOptions {
  readonly folder: string
  readonly level: LogLevel
  /** Values that no line may show, asked for each line. */
  readonly mask: () => readonly string[]
  /** Also shows every line on standard error, for a gateway in the foreground. */
  readonly terminal?: boolean
  readonly maxSizeMb?: number
  readonly backupCount?: number
  readonly clock?: Pick<Clock, 'now'>
}

export interface Logs {
  log(name: LogName): Log
  /** Writes what waits; lines that come later are dropped. */
  close(): void
}

type Fields = Parameters<Log['info']>[1]

const order: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

/** JSON lines in `<folder>/<name>.log`, warnings and errors in errors.log too. A program that logs nothing makes no file. */
export function openLogs(options: LogOptions): Logs {
  const files = new Map<string, LogFile>()
  let closed = false

  const fileOf = (name: string): LogFile => {
    const known = files.get(name)
    if (known) return known
    const maxBytes = (options.maxSizeMb ?? 5) * 1024 * 1024
    const file = openLogFile({ path: join(options.folder, `${name}.log`), maxBytes, backups: options.backupCount ?? 3 })
    files.set(name, file)
    return file
  }
  const put = (name: LogName, level: LogLevel, line: string): void => {
    const urgent = order[level] >= order.warn
    const shown = showJson(line)
    fileOf(name).write(shown, { urgent })
    if (urgent) fileOf('errors').write(shown, { urgent })
    if (options.terminal) process.stderr.write(`${showText(formatLine(line.trimEnd()))}\n`)
  }
  const add = (name: LogName, level: LogLevel, message: string, fields: Fields): void => {
    if (closed || order[level] < order[options.level]) return
    const secrets = options.mask()
    const line = {
      ...{ level, time: options.clock?.now() ?? Date.now(), pid: process.pid, name },
      // Apart from the rest, so that a field called "level" cannot stand for the level.
      fields: maskValue(fields, secrets),
      msg: maskText(message, secrets),
    }
    put(name, level, `${JSON.stringify(line)}\n`)
  }
  const flush = (): void => {
    for (const file of files.values()) file.flush()
  }
  process.on('exit', flush)

  return {
    log: (name) => ({
      debug: (message, fields) => add(name, 'debug', message, fields),
      info: (message, fields) => add(name, 'info', message, fields),
      warn: (message, fields) => add(name, 'warn', message, fields),
      error: (message, fields) => add(name, 'error', message, fields),
    }),
    close() {
      closed = true
      process.off('exit', flush)
      for (const file of files.values()) file.close()
    },
  }
}
