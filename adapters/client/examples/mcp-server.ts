import type { Client } from '@countersign/client'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { type Pay, payment } from './payment.ts'

/** An MCP server whose tool pays only what a person approved; a caller that gives up cancels the case. */
export function paymentServer(client: Client, sessionId: string, pay: Pay): McpServer {
  const server = new McpServer({ name: 'payments', version: '1.0.0' })
  server.registerTool(
    'transfer',
    { description: 'Pay an order, once a person approved it', inputSchema: payment.shape },
    async (input, { signal }) => {
      const { approved, decision } = await client.reviewCases.request(
        {
          sessionId,
          checkpointId: `transfer-${input.orderId}`,
          reasonCategory: 'high_risk_action',
          presentation: { tool: 'transfer', ...input },
        },
        { signal, cancelOnAbort: 'end_user_cancelled' },
      )
      const text = approved ? await pay(input) : `not paid: ${decision}`
      return { content: [{ type: 'text', text }], isError: !approved }
    },
  )
  return server
}
