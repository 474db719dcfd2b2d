import * as z from 'zod'
import type { PlatformContext } from '../contract/context.ts'
import type {
  Attachment,
  Command,
  Conversation,
  Identity,
  LostSend,
  MessageRef,
  Mood,
  OutboundMessage,
  Receipt,
} from '../contract/messages.ts'
import type { Call } from '../contract/wire.ts'
import { defineKind } from './contract.ts'
import { entry, environmentName, jsonSchema, name } from './fields.ts'

/** Default export of a platform's entry file. */
export interface Platform<C = unknown> {
  /** Resolves when messages can be received and sent, and the credentials are proved; rejects with a coded error. */
  connect(context: PlatformContext<C>, call: Call): Promise<Connection>
}

/** A connection to a platform; its door and its capabilities say which methods it must have. */
export interface Connection {
  /**
   * Never rejects for a refusal of the platform: that is a receipt. `unknown` is a lawful answer. A refusal with PLATFORM_AUTH says that the
   * credentials have ended: the gateway connects again, which proves them, and sends the message then. Messaging doors.
   */
  send?(message: OutboundMessage, call: Call): Promise<Receipt>
  /** Who the bot is. Messaging doors. */
  identity?(call: Call): Promise<Identity>
  /** Replaces text and buttons of a sent message. Declared by the capability `edit`. */
  edit?(platformId: string, message: OutboundMessage, call: Call): Promise<Receipt>
  /**
   * Asked after a lost receipt, on every connection until it is told. `null`: it certainly did not arrive, and is sent again; `unknown`: the
   * platform cannot tell. Rejects where it could not be asked now. Declared by the capability `findSent`.
   */
  findSent?(lost: LostSend, call: Call): Promise<Receipt | null>
  /** Shows that an answer is being written; repeated each `limits.typingMs`. May reject with `retryAfterMs`. Declared by the capability `typing`. */
  typing?(conversation: string, call: Call): Promise<void>
  /**
   * Nobody writes any more: called once after `typing`, when the turn is over, whatever became of it, and when it waits for a person. The answer
   * may be there by then, or may still come. Declared by the capability `endTyping`, where the service does not end what it shows by itself.
   */
  endTyping?(conversation: string, call: Call): Promise<void>
  /** Marks a message of somebody else; the mark before it goes away. May reject with `retryAfterMs`. Declared by the capability `react`. */
  react?(message: MessageRef, mood: Mood, call: Call): Promise<void>
  /** The bytes of a file that came with a message. Declared by the capability `fetchMedia`. */
  fetchMedia?(attachment: Attachment, call: Call): AsyncIterable<Uint8Array>
  /** Shows the agent's commands in the menu of the platform; the list replaces the one before it. Declared by the capability `setCommands`. */
  setCommands?(commands: readonly Command[], call: Call): Promise<void>
  /** Where the bot can speak, as far as the platform tells. Declared by the capability `listConversations`. */
  listConversations?(call: Call): Promise<readonly Conversation[]>
  /** When the platform was last heard: milliseconds since 1970. Proof of reception, not of health. */
  lastHeard(call: Call): Promise<number>
  close(call: Call): Promise<void>
}

const platform = z.strictObject({
  id: name,
  entry,
  label: z.string(),
  /** `messaging` hands in messages and gets answers by send; `request` holds the connection and runs turns. */
  door: z.enum(['messaging', 'request']),
  /** `people`: other people can be reached through it. `owner`: only who runs the agent, on this machine. */
  reach: z.enum(['people', 'owner']),
  /** What somebody who is not let in gets in a direct message. `ignore` suits channels where an answer costs money or bothers people. */
  unknownSenders: z.enum(['pair', 'ignore']).default('pair'),
  /** `sender`: each person has to be let in. `source`: the platform has checked by its own means (a signature, a token) that it may be answered. */
  gate: z.enum(['sender', 'source']).default('sender'),
  /** The first eight are methods of the connection, which has exactly those that are declared. */
  capabilities: z.strictObject({
    edit: z.boolean().default(false),
    findSent: z.boolean().default(false),
    typing: z.boolean().default(false),
    endTyping: z.boolean().default(false),
    react: z.boolean().default(false),
    fetchMedia: z.boolean().default(false),
    setCommands: z.boolean().default(false),
    listConversations: z.boolean().default(false),
    /** A repeated send with the same key arrives once. */
    idempotentSend: z.boolean().default(false),
    /** Files go out with a message. */
    media: z.boolean().default(false),
    buttons: z.boolean().default(false),
    /** Conversations of the kind `thread` come in and can be answered. */
    threads: z.boolean().default(false),
    /** The bot is invited into conversations, and goes there when `context.invited` says so; never by itself. */
    invitations: z.boolean().default(false),
  }),
  limits: z.strictObject({
    /** Longest text of one message, in `unit`. */
    maxLength: z.int().min(1).default(4000),
    /** Most lines of a message, where each of them is sent by itself. */
    maxLines: z.int().min(1).optional(),
    unit: z.enum(['characters', 'utf16', 'bytes']).default('characters'),
    /** Pause between the parts of one answer, in milliseconds. */
    pauseMs: z.int().min(0).default(0),
    /**
     * Sends under way at once where `idempotentSend` or `findSent` is declared; one where neither is. A `findSent` that finds what arrived
     * and cannot tell what certainly did not wants 1: a crash then leaves at most one answer whose fate nobody knows.
     */
    sendsAtOnce: z.int().min(1).default(64),
    /** Longest text beside a file, in `unit`; longer ones go as a separate message. */
    captionLength: z.int().min(0).default(1000),
    /** Largest file that is fetched, in bytes. */
    fetchBytes: z.int().min(1).default(26_214_400),
    /** Largest file that is sent, in bytes. */
    mediaBytes: z.int().min(1).default(26_214_400),
    /** Buttons below one message. */
    buttons: z.int().min(1).default(10),
    /** How often `typing` is repeated, in milliseconds. */
    typingMs: z.int().min(500).default(4000),
    /** Shortest time between two edits of a message, in milliseconds. */
    editMs: z.int().min(100).default(800),
    /**
     * What the service lets an account do: so many things at once, then one each `everyMs` milliseconds. Marks, typing and previews leave half
     * of `burst` to answers.
     */
    budget: z.strictObject({ burst: z.int().min(1), everyMs: z.int().min(1) }).optional(),
    /** The same for each conversation, where the service counts those too. */
    conversationBudget: z.strictObject({ burst: z.int().min(1), everyMs: z.int().min(1) }).optional(),
    /** Silence after which messages that came one after the other are one, in milliseconds; 0 takes each for itself. */
    quietMs: z.int().min(0).default(0),
    /** The same after a message that is nearly as long as the platform allows, because its app cuts longer ones. */
    splitMs: z.int().min(0).default(0),
  }),
  /** How text is marked up on the platform: not at all, in Markdown as it comes, or by the platform from the tree of `OutboundMessage.body`. */
  markup: z.enum(['plain', 'markdown', 'tree']).default('plain'),
  /** Header before every message, unless `reply_prefix` says otherwise: where the bot writes under the name of a person. */
  replyPrefix: z.string().default(''),
  /** Start of the variables of this platform, where it is not its id in capitals. */
  envPrefix: environmentName.optional(),
  /** Variable of the home conversation, where it is not `<prefix>_HOME_CHANNEL`. */
  homeEnv: environmentName.optional(),
  /** Shape of `platforms.<id>.extra`. */
  configSchema: jsonSchema.optional(),
  /** Which names of the plugin's `env` this platform reads; it runs when the required ones are there. */
  env: z.array(environmentName).default([]),
  /** Runs without any configuration, unless it is disabled. */
  onByDefault: z.boolean().default(false),
  /** Said to the model: what suits this platform. */
  promptHint: z.string().optional(),
  /** Toolsets, or sets of them, that its conversations have unless a person names others; absent: all. For a platform that hands in what strangers wrote. */
  toolsets: z.array(name).optional(),
  /** `on-demand`: silent until somebody calls (webhooks); `continuous`: silence for minutes means a dead connection, which is replaced. */
  reception: z.enum(['continuous', 'on-demand']).default('continuous'),
  /** Longest attempt to connect, in milliseconds. */
  connectTimeoutMs: z.int().min(1000).max(600_000).default(30_000),
  /** Only one connection per credential may exist: names the variable that holds it. */
  singletonLock: environmentName.optional(),
})

/** A platform, as the manifest has it. */
export type PlatformManifest = z.output<typeof platform>

export const platformKind = defineKind({ spec: platform, variables: ({ singletonLock }) => ({ singletonLock }) })
