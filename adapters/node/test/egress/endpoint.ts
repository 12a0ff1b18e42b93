import { createPrivateKey } from 'node:crypto'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import type { TestContext } from 'node:test'
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls'
import type { Exchange, ExchangeResult } from '@countersign/core/ports'
import { createTransport, type NodeTransport, type TransportOptions } from '@countersign/node'
import { makeAuthority, makeServerCert } from '../../local-ca/certificate.ts'

const hour = 3_600_000
const validity = { from: Date.now() - hour, until: Date.now() + hour }

/** The authority that the transports of these tests trust. */
export const authority = makeAuthority('Countersign tests', validity)

export function serverCert(
  names: readonly string[],
  options: { readonly validity?: typeof validity; readonly by?: typeof authority } = {},
) {
  const by = options.by ?? authority
  const issuer = { name: 'Countersign tests', key: createPrivateKey(by.key) }
  return makeServerCert(names, issuer, options.validity ?? validity)
}

const cert = serverCert(['localhost', 'hook.localhost', '127.0.0.1', '::1'])

export interface Endpoint {
  readonly port: number
  readonly url: string
  /** Connections that were opened. */
  readonly connections: () => number
}

async function listen(t: TestContext, server: Server, host: string): Promise<Endpoint> {
  const open = new Set<{ destroy(): void }>()
  let connections = 0
  server.on('connection', (socket) => {
    connections++
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
  })
  server.on('tlsClientError', () => {})
  server.listen(0, host)
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  const { port } = server.address() as AddressInfo
  return { port, url: `https://hook.localhost:${port}/hook`, connections: () => connections }
}

/** An https endpoint on loopback. */
export function httpsEndpoint(
  t: TestContext,
  handler: RequestListener,
  options: TlsOptions & { readonly host?: string } = {},
): Promise<Endpoint> {
  return listen(t, createHttpsServer({ ...cert, ...options }, handler), options.host ?? '127.0.0.1')
}

/** An endpoint that speaks TLS and then whatever the handler writes, once the request has begun to arrive. */
export function rawEndpoint(
  t: TestContext,
  onRequest: (socket: TLSSocket, request: string) => void,
  options: TlsOptions = {},
): Promise<Endpoint> {
  const server = createTlsServer({ ...cert, ...options }, (socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes: Buffer) => onRequest(socket, bytes.toString('latin1')))
  })
  return listen(t, server, '127.0.0.1')
}

/** A transport that may reach loopback and takes every name for 127.0.0.1. */
export function loopbackTransport(t: TestContext, options: TransportOptions = {}): NodeTransport {
  const transport = createTransport({
    ca: authority.cert,
    allowedSubnets: ['127.0.0.0/8', '::1/128'],
    resolve: async () => ['127.0.0.1'],
    ...options,
  })
  t.after(() => transport.close())
  return transport
}

const utf8 = new TextEncoder()

export function exchangeTo(url: string, more: Partial<Exchange> = {}): Exchange {
  return {
    url,
    headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' },
    body: utf8.encode('{"id":"evt_1"}'),
    deadlineMs: 10_000,
    keepBytes: 65_536,
    ...more,
  }
}

/** What came of an exchange, in one line. */
export function told(result: ExchangeResult): string {
  return result.kind === 'answer'
    ? `${result.status}${result.truncated ? ' cut' : ''}`
    : result.error
}

export function detail(result: ExchangeResult): string {
  return result.kind === 'error' ? result.detail : ''
}
