import { createServer } from 'node:http'
import { nativePrimitives } from '@countersign/node/crypto'
import { createReceiver } from '@countersign/receiver-kit'
import { nodeHandler } from '@countersign/receiver-kit/node'
import { openSqliteInbox } from '@countersign/sqlite'

/** A receiver in plain http, so that its answers can be told apart from outside. */
const [, , file = '', port = '', key = ''] = process.argv
const receiver = createReceiver({
  keys: [key],
  primitives: nativePrimitives,
  inbox: openSqliteInbox({ file }),
  onEvent: () => undefined,
})
const answer = nodeHandler(receiver)
createServer((request, response) => void answer(request, response)).listen(
  Number(port),
  '127.0.0.1',
  () => process.send?.('listening'),
)
