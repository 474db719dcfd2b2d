import type { HttpReply, HttpRequest } from '@agent/plugin-sdk'
import { bot, describePost, type StoredPost, type World } from './mattermost-world.ts'

export type Tell = (event: string, data: object) => void

interface Asked {
  readonly world: World
  readonly request: HttpRequest
  readonly query: URLSearchParams
  readonly json: Record<string, unknown>
  readonly tell: Tell
}

export function reply(status: number, body: unknown): HttpReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

export function refuse(status: number, id: string, message: string): HttpReply {
  return reply(status, { id, message, detailed_error: '', status_code: status })
}

const nowhere = (): HttpReply => refuse(404, 'api.context.404.app_error', 'Sorry, we could not find the page.')

/** What the server answers to a request of the bot. */
export async function answerRequest(world: World, request: HttpRequest, tell: Tell): Promise<HttpReply> {
  const { pathname, searchParams: query } = new URL(request.url, 'http://fake')
  const [root = '', ...rest] = pathname.replace('/api/v4/', '').split('/')
  if (root === 'files') return await onFiles(world, request, rest)
  const text = Buffer.from(request.body).toString()
  const asked: Asked = { world, request, query, tell, json: text === '' ? {} : JSON.parse(text) }
  const doors: Readonly<Record<string, (asked: Asked, rest: readonly string[]) => HttpReply>> = {
    users: onUsers,
    channels: onChannels,
    posts: onPosts,
    reactions: onReactions,
  }
  return doors[root]?.(asked, rest) ?? nowhere()
}

function onUsers({ world, request, json }: Asked, [who = '', what = '', post = '', part, mark = '']: readonly string[]): HttpReply {
  if (who === 'me' && what === '') return reply(200, bot)
  if (who === 'me' && what === 'channels')
    return reply(
      200,
      world.channels.map((channel) => ({ ...channel, last_post_at: lastPostAt(world, channel.id) })),
    )
  if (who === 'ids') return reply(200, Array.isArray(json) ? world.users.filter((user) => (json as string[]).includes(user.id)) : [])
  if (who !== bot.id) return refuse(403, 'api.context.permissions.app_error', 'You do not have the appropriate permissions')
  if (what === 'typing') {
    world.typings.push(`${json.channel_id}/${json.parent_id}`)
    return reply(200, { status: 'OK' })
  }
  if (request.method !== 'DELETE' || part !== 'reactions') return nowhere()
  world.reactions.get(post)?.delete(mark)
  return reply(200, { status: 'OK' })
}

function lastPostAt({ posts }: World, channel: string): number {
  return Math.max(0, ...posts.filter((post) => post.channel_id === channel).map((post) => post.create_at))
}

function onChannels({ world, query }: Asked, [id = '', what]: readonly string[]): HttpReply {
  const channel = world.channels.find((one) => one.id === id)
  if (!channel) return refuse(404, 'app.channel.get.existing.app_error', 'Unable to find the existing channel.')
  if (what === undefined) return reply(200, channel)
  if (what !== 'posts') return nowhere()
  const all = world.posts.filter((post) => post.channel_id === id).sort((one, other) => other.create_at - one.create_at)
  const since = Number(query.get('since') ?? '0')
  const size = Math.min(Number(query.get('per_page') ?? '60'), 200)
  const page = Number(query.get('page') ?? '0') * size
  // What changed since then, deleted posts and older forms too; or a page of what is there.
  const found =
    since > 0 ? all.filter((post) => post.update_at > since) : all.filter((post) => post.delete_at === 0).slice(page, page + size)
  return listPosts(world, found)
}

function listPosts(world: World, found: readonly StoredPost[]): HttpReply {
  const posts = Object.fromEntries(found.map((post) => [post.id, describePost(world, post)]))
  return reply(200, { order: found.map((post) => post.id), posts, next_post_id: '', prev_post_id: '', first_inaccessible_post_time: 0 })
}

const longest = 16_383

function onPosts(asked: Asked, [id, what]: readonly string[]): HttpReply {
  const { world, request, json } = asked
  if (id === undefined) return createPost(asked)
  const post = world.posts.find((one) => one.id === id)
  if (request.method !== 'PUT' || what !== 'patch') return nowhere()
  if (!post || post.user_id !== bot.id)
    return refuse(403, 'api.context.permissions.app_error', 'You do not have the appropriate permissions')
  if ([...String(json.message)].length > longest)
    return refuse(400, 'model.post.is_valid.message_length.app_error', 'Post Message property is too long.')
  post.message = String(json.message)
  post.update_at = world.tick()
  return reply(200, describePost(world, post))
}

function createPost({ world, json, tell }: Asked): HttpReply {
  const { channel_id = '', message = '', root_id = '', file_ids = [], props = {}, pending_post_id = '' } = json as Record<string, never>
  const kept = world.posts.find((post) => pending_post_id !== '' && post.id === world.pending.get(pending_post_id))
  if (kept) return reply(201, describePost(world, kept))
  if (!world.channels.some((channel) => channel.id === channel_id)) {
    return refuse(400, 'api.context.invalid_param.app_error', 'Invalid or missing post.channel_id in request body.')
  }
  const root = world.posts.find((post) => post.id === root_id)
  if (root_id !== '' && (!root || root.channel_id !== channel_id || root.root_id !== '' || root.delete_at > 0)) {
    return refuse(400, 'api.post.create_post.root_id.app_error', 'Invalid RootId parameter.')
  }
  if ([...String(message)].length > longest)
    return refuse(400, 'model.post.is_valid.message_length.app_error', 'Post Message property is too long.')
  const post = world.add({ user_id: bot.id, channel_id, message, root_id, file_ids, props })
  world.pending.set(pending_post_id, post.id)
  tell('posted', { post: JSON.stringify({ ...describePost(world, post), pending_post_id }), sender_name: `@${bot.username}` })
  return reply(201, { ...describePost(world, post), pending_post_id })
}

function onReactions({ world, json }: Asked): HttpReply {
  const { user_id, post_id = '', emoji_name = '' } = json as Record<string, string>
  if (user_id !== bot.id) return refuse(403, 'api.reaction.save_reaction.user_id.app_error', 'You cannot save reaction for the other user.')
  if (!world.posts.some((post) => post.id === post_id)) return refuse(404, 'app.post.get.app_error', 'Unable to get the post.')
  if (!/^(eyes|white_check_mark|x)$/.test(emoji_name)) return refuse(404, 'app.emoji.get_by_name.no_result', 'Unable to find the emoji.')
  world.reactions.set(post_id, new Set([...(world.reactions.get(post_id) ?? []), emoji_name]))
  return reply(200, { user_id, post_id, emoji_name })
}

async function onFiles(world: World, { method, headers, body, url }: HttpRequest, [id]: readonly string[]): Promise<HttpReply> {
  if (method === 'GET') {
    const file = world.files.get(id ?? '')
    return file
      ? { status: 200, headers: { 'content-type': file.mime }, body: file.bytes }
      : refuse(404, 'app.file_info.get.app_error', 'Unable to get the file info.')
  }
  const { searchParams } = new URL(url, 'http://fake')
  if (!world.channels.some((channel) => channel.id === searchParams.get('channel_id'))) {
    return refuse(403, 'api.context.permissions.app_error', 'You do not have the appropriate permissions')
  }
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': headers['content-type'] ?? '' } }).formData()
  const infos: object[] = []
  for (const value of form.getAll('files')) {
    if (typeof value === 'string') continue
    const file = { id: world.nextId(), name: value.name, mime: value.type, bytes: new Uint8Array(await value.arrayBuffer()) }
    world.files.set(file.id, file)
    infos.push({ id: file.id, name: file.name, size: file.bytes.length, mime_type: file.mime })
  }
  return reply(201, { file_infos: infos, client_ids: [] })
}
