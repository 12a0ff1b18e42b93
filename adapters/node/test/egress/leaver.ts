import { transportThread } from '@countersign/node'
import { exchangeTo, told } from './endpoint.ts'

// A process that nothing but its sending thread keeps alive, and that waits for it twice.
const transport = transportThread()
for (let round = 0; round < 2; round++)
  console.log(told(await transport.post(exchangeTo('https://10.0.0.1/hook'))))
