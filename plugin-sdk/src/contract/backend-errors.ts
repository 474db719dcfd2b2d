import type { ErrorEntry } from './http-errors.ts'

/** The end of a sentence about a name that nobody knows. */
export const nearest = (p: { nearest?: string }): string => (p.nearest ? ` Did you mean "${p.nearest}"?` : '')

/** What goes wrong with services that one backend of several does for the agent. */
export const backendErrors = {
  WEB_BACKEND_UNKNOWN: {
    status: 500,
    text: (p: { backend: string; nearest?: string }) =>
      `web.backend names "${p.backend}", which no plugin brings.${nearest(p)} Choose one with agent config set web.backend NAME, or none with agent config unset web.backend.`,
  },
  WEB_BACKEND_LACKS: {
    status: 501,
    text: (p: { what: string; backend?: string }) =>
      p.backend
        ? `The web backend ${p.backend} cannot ${p.what}. Choose another with agent config set web.backend NAME.`
        : `No web backend that is ready can ${p.what}. agent doctor shows what there is.`,
  },
  CATALOG_UNREADABLE: {
    status: 502,
    text: (p: { source: string; detail: string }) =>
      `The model catalog at ${p.source} cannot be used: ${p.detail}. The one from before is kept; --from names another address.`,
  },
  IMAGE_BACKEND_UNKNOWN: {
    status: 500,
    text: (p: { backend: string; nearest?: string }) =>
      `image.backend names "${p.backend}", which no plugin brings.${nearest(p)} Choose one with agent config set image.backend NAME, or none with agent config unset image.backend.`,
  },
  IMAGE_BACKEND_MISSING: {
    status: 501,
    text: () => 'No image backend is ready. agent plugins list shows what there is, and agent plugins why NAME what it lacks.',
  },
  IMAGE_UNSEEN: {
    status: 501,
    text: (p: { detail: string }) =>
      `No model could look at the picture: ${p.detail}. Name one that sees with agent config set auxiliary.vision.provider NAME and auxiliary.vision.model MODEL.`,
  },
  CONTEXT_ENGINE_UNKNOWN: {
    status: 500,
    text: (p: { backend: string; nearest?: string }) =>
      `context.engine names "${p.backend}", which no plugin brings.${nearest(p)} Choose one with agent config set context.engine NAME, or the usual one with agent config unset context.engine.`,
  },
  MEMORY_PROVIDER_UNKNOWN: {
    status: 500,
    text: (p: { backend: string; nearest?: string }) =>
      `memory.provider names "${p.backend}", which no plugin brings.${nearest(p)} Choose one with agent config set memory.provider NAME; files is the usual one.`,
  },
  MEMORY_OFF: { status: 409, text: (p: { problem: string }) => `There is no memory to use: ${p.problem}.` },
  MEMORY_UNCHANGED: { status: 400, text: (p: { problem: string }) => `The memory was not changed: ${p.problem}.` },
  MEMORY_FULL: {
    status: 413,
    text: (p: { target: string; used: number; limit: number; entries: string }) =>
      `The memory was not changed: "${p.target}" would have ${p.used} of at most ${p.limit} characters. Replace several entries by one shorter entry, or remove what is outdated, then try again. Its entries now:\n${p.entries}`,
  },
  MEMORY_PENDING_UNKNOWN: {
    status: 404,
    text: (p: { id: string }) => `No change of the memory waits under "${p.id}". agent memory pending lists them.`,
  },
  CHECKPOINTS_UNUSABLE: {
    status: 500,
    text: (p: { problem: string }) =>
      `Checkpoints do not work: ${p.problem}. Mend that, or switch them off with agent config set checkpoints.enabled false.`,
  },
  CHECKPOINT_SKIPPED: {
    status: 409,
    text: (p: { folder: string; reason: string }) =>
      `There are no checkpoints of ${p.folder}: ${p.reason}. Let the agent work in a folder below it, or leave files out with a .gitignore.`,
  },
  CHECKPOINTS_NONE: {
    status: 404,
    text: (p: { folder: string }) =>
      `There are no checkpoints of ${p.folder} yet. agent checkpoints list names the folders that have some.`,
  },
  CHECKPOINT_UNKNOWN: {
    status: 404,
    text: (p: { number: number; folder: string }) =>
      `There is no checkpoint ${p.number} of ${p.folder}. agent checkpoints list, or /rollback, shows those that there are.`,
  },
  CHECKPOINT_SAME: {
    status: 404,
    text: (p: { file: string; number: number }) =>
      `Nothing was changed: "${p.file}" is as it was at checkpoint ${p.number}, or neither is there. Name it as it lies below the folder.`,
  },
  CHECKPOINT_EDITED: {
    status: 409,
    text: (p: { files: string; number: number; again: string }) =>
      `Nothing was changed: ${p.files} changed since without the agent, and going back to checkpoint ${p.number} would undo that. ${p.again} goes back all the same.`,
  },
  CHECKPOINT_STOPPED: {
    status: 500,
    text: (p: { number: number; problem: string; undo: number }) =>
      `Going back to checkpoint ${p.number} stopped half-way: ${p.problem}. No file is half-written. Mend that and do the same again, or go back to checkpoint ${p.undo}, which holds how everything was.`,
  },
  CHECKPOINT_BUSY: {
    status: 409,
    text: (p: { folder: string }) =>
      `Nothing was changed: the agent works in ${p.folder} now. Wait until it has finished, or stop it with /stop.`,
  },
  WEB_ADDRESS_REFUSED: { status: 403, text: (p: { url: string; reason: string }) => `${p.url} is not asked: ${p.reason}.` },
} as const satisfies Record<string, ErrorEntry>

/** What goes wrong with skills, bundles of them, where they come from, and the conversations that try them. */
export const skillErrors = {
  SKILL_NOT_FOUND: {
    status: 404,
    text: (p: { skill: string; nearest?: string }) => `There is no skill "${p.skill}".${nearest(p)} agent skills list shows them.`,
  },
  SKILL_REFUSED: { status: 409, text: (p: { skill: string; problem: string }) => `The skill ${p.skill} is not installed: ${p.problem}.` },
  SKILL_CAUTION: {
    status: 403,
    text: (p: { skill: string; findings: string }) =>
      `The skill ${p.skill} asks for a look: ${p.findings}. Nobody is here to ask; the same command with --yes installs it.`,
  },
  SKILL_NOT_INSTALLED: {
    status: 404,
    text: (p: { skill: string; nearest?: string }) =>
      `The skill "${p.skill}" was not installed from a source.${nearest(p)} agent skills check lists those that were.`,
  },
  SKILL_NOT_OPTIONAL: {
    status: 404,
    text: (p: { skill: string; nearest?: string }) =>
      `agent has no optional skill "${p.skill}".${nearest(p)} agent skills list --optional shows them.`,
  },
  SKILL_LOCK_DAMAGED: {
    status: 500,
    text: (p: { file: string }) => `${p.file} cannot be understood. Move it away, and install the skills that it named again.`,
  },
  BUNDLE_NOT_FOUND: {
    status: 404,
    text: (p: { bundle: string; nearest?: string }) => `There is no bundle "${p.bundle}".${nearest(p)} agent bundles list shows them.`,
  },
  BUNDLE_BROKEN: { status: 400, text: (p: { file: string; problem: string }) => `${p.file} is no bundle: it ${p.problem}.` },
  UPDATE_IMPOSSIBLE: { status: 409, text: (p: { problem: string; next: string }) => `${p.problem}. ${p.next}` },
  SKILLS_TOO_MANY: { status: 400, text: (p: { most: number }) => `At most ${p.most} skills are followed at once.` },
  SKILL_ELSEWHERE: {
    status: 409,
    text: (p: { skill: string; platforms: string }) => `The skill ${p.skill} is for ${p.platforms} only.`,
  },
  SKILL_UNCHANGED: { status: 400, text: (p: { problem: string }) => `No skill was changed: ${p.problem}.` },
  SKILL_PENDING_UNKNOWN: {
    status: 404,
    text: (p: { id: string }) => `No change of a skill waits under "${p.id}". agent skills pending lists them.`,
  },
  SKILL_FILE: {
    status: 400,
    text: (p: { skill: string; file: string; problem: string }) => `${p.file} of the skill ${p.skill} cannot be read: it ${p.problem}.`,
  },
  EVAL_INVALID: {
    status: 400,
    text: (p: { file: string; line: number; key: string; problem: string }) => `${p.file}:${p.line}: ${p.key}: ${p.problem}.`,
  },
  EVAL_NONE: {
    status: 404,
    text: (p: { folder: string }) => `There are no conversations in ${p.folder}. Their files are called eval.yaml or end in .eval.yaml.`,
  },
} as const satisfies Record<string, ErrorEntry>
