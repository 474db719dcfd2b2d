import { writeFileAtomic } from '#config/home/atomic-file.ts'
import { withFileLock } from '#config/home/file-lock.ts'
import { readText } from '#kernel/read-text.ts'

/** A skill as the agent has left it. */
interface MadeSkill {
  readonly session: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** Of its files. */
  readonly hash: string
}

const mostBytes = 1024 * 1024

/** Which skills of a home the agent has written, and how it has left them: everything else is a person's. A damaged file says that none is the agent's. */
export interface MadeSkills {
  /** Whether the agent has made it, and nobody has changed it since. */
  isOwn(name: string, hash: string | undefined): boolean
  /** Lets one process at a time change skills; `work` answers with what was made, or undefined where the skill is gone. */
  change(name: string, work: () => MadeSkill | undefined): void
}

export function openMadeSkills(file: string): MadeSkills {
  return {
    isOwn: (name, hash) => hash !== undefined && read(file)[name]?.hash === hash,
    change: (name, work) =>
      withFileLock(file, () => {
        const made = work()
        const { [name]: _, ...others } = read(file)
        writeFileAtomic(file, `${JSON.stringify(made ? { ...others, [name]: made } : others, null, 2)}\n`)
      }),
  }
}

function read(file: string): Readonly<Record<string, MadeSkill>> {
  const text = readText(file, { mostBytes })
  try {
    const found: unknown = JSON.parse(text ?? '{}')
    return typeof found === 'object' && found !== null ? (found as Record<string, MadeSkill>) : {}
  } catch {
    return {}
  }
}
