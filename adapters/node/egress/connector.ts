import { isIP, type TcpNetConnectOpts } from 'node:net'
import { type ConnectionOptions, connect, type SecureContext, type TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'
import type { Target } from './policy.ts'

/** How far a connection has come, which tells what its failure means. */
export type Stage = 'connect' | 'tls' | 'ready'

export interface Dialling {
  readonly target: Target
  readonly secureContext: () => SecureContext
  /** The checked addresses, asked for at each connect: nothing else is ever dialled. */
  readonly addresses: () => readonly string[]
  readonly onStage: (stage: Stage) => void
  readonly onSocket: (socket: TLSSocket) => void
  /** TLS sessions of this origin, so that the next connection saves a round trip. */
  readonly session: { current: Buffer | undefined }
}

/** Ms for one of several addresses; Node's 250 would give up on every endpoint that is far away. */
const perAddressMs = 2000

/** An undici connector that dials the checked addresses in turn (RFC 8305) and keeps the name for SNI and the certificate. */
export function createConnector(dialling: Dialling): buildConnector.connector {
  const { target, secureContext, addresses, session } = dialling
  return (_options, callback) => {
    dialling.onStage('connect')
    const options: ConnectionOptions & TcpNetConnectOpts = {
      host: target.hostname,
      port: target.port,
      // SNI holds names only (RFC 6066 3); for an address the certificate must name the address.
      servername: isIP(target.hostname) ? '' : target.hostname,
      ALPNProtocols: ['http/1.1'],
      secureContext: secureContext(),
      rejectUnauthorized: true,
      ...(session.current && { session: session.current }),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: perAddressMs,
      lookup: (_hostname, { all: wantsAll }, found) => {
        const all = addresses().map((address) => ({ address, family: isIP(address) }))
        const [first] = all
        if (wantsAll || !first) found(null, all)
        else found(null, first.address, first.family)
      },
    }
    const socket = connect(options)
    dialling.onSocket(socket)
    socket.setNoDelay(true)
    socket.on('session', (fresh) => {
      session.current = fresh
    })
    socket.once('connect', () => dialling.onStage('tls'))
    let told = false
    const tell = (error: Error | null) => {
      if (told) return
      told = true
      if (error) callback(error, null)
      else callback(null, socket)
    }
    socket.on('error', tell)
    socket.once('close', () => tell(new Error('the connection was closed before TLS was set up')))
    socket.once('secureConnect', () => {
      dialling.onStage('ready')
      tell(null)
    })
  }
}
