export { type ApprovalServerOptions, approvalServer } from './approval-server.ts'
export type { ToolAnswer } from './case-answers.ts'
export {
  type ActOn,
  type CaseTasks,
  type CaseTasksOptions,
  createCaseTasks,
} from './case-tasks.ts'
export { createGateway, type GatewayOptions } from './gateway.ts'
export { type ApprovalHandlerOptions, approvalHandler } from './http.ts'
export {
  createReviewTasks,
  type ReviewTasks,
  type ReviewTasksOptions,
  type ServedTasks,
} from './review-tasks.ts'
export { type ReviewedToolOptions, registerReviewedTool } from './reviewed-tool.ts'
export type { RpcMessage } from './rpc-messages.ts'
export { type RunGatewayOptions, runGateway } from './run-gateway.ts'
