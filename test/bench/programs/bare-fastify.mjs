// The floor of a server's start: fastify with one route that answers.
import fastify from 'fastify'

const server = fastify()
server.post('/v1/chat/completions', async () => ({ choices: [{ message: { content: 'word' } }] }))
await server.listen({ host: '127.0.0.1', port: Number(process.env.API_SERVER_PORT) })
process.on('SIGTERM', () => server.close())
