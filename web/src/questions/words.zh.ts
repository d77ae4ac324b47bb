/** The questions of the chapter's readers, in Simplified Chinese. */
import type { Translation } from '../format/translation.js';

export const questions: Translation<typeof import('./words.js').words> = {
  title: '读者的问题',
  entries: {
    'h-projections': [
      'h个头需要h个投影，为什么只有一个线性层？',
      '一个有num_hiddens个输出的线性层（Linear），其权重就是h块，每块num_hiddens / h行，每个[头|head]（head）一块。transpose_qkv中的reshape把每一块算出的列交给对应的头。结果与h个小线性层相同，只是由一次大的矩阵乘法得出。',
    ],
    'input-slice': [
      '每个头是否只得到输入的一部分？',
      '不是：W_q、W_k和W_v的每一行对输入的每个特征都有一个权重，所以每个头都对整个输入做投影。被拆分的是[投影|projection]（projection）的结果。如果先切分输入，就成了分组卷积，一个头只看得到1/h的特征。',
    ],
    'giant-head': [
      '为什么不用一个巨大的头？',
      '它的参数一样多，代价也几乎一样，但只有一个[softmax]：一个查询在键上只有一个[注意力权重|attention weight]（attention weights）分布，于是一个加权平均要满足所有用途。有h个头时，一个查询有h个分布，可以同时关注前一个词元和首个词元。在Vaswani等人（2017）的实验中，单头比最佳头数低0.9 BLEU。',
    ],
    'two-transposes': [
      '两次转置是做什么用的？',
      'transpose_qkv把头的轴移到批量的轴旁边，从(batch, n, num_hiddens)变为(batch · h, n, num_hiddens / h)，这样一次批量矩阵乘法就能计算所有的头。transpose_output把它反转过来，从而拼接各个头。两者都只是重新排列数值，但只用reshape而不转置，就会把词元和特征混在一起。',
    ],
    'output-projection': [
      'W_o是做什么用的？',
      '拼接之后，每个数仍只来自一个头。W_o是唯一把各个头组合起来的步骤：每个输出都是对所有头的特征求和。它的列按头分组，决定每个头对输出的贡献有多大。',
    ],
    'query-size': [
      '为什么这一层有query_size、key_size和value_size？',
      '它们是W_q、W_k和W_v的输入大小，可以各不相同：在[交叉注意力|cross-attention]（cross-attention）中，查询可以来自比编码器更窄的解码器。只有在投影之后，查询和键才需要大小相同，以便求点积。书中早期版本的代码要传入这三个大小；现在的代码用LazyLinear，从第一次输入中得知它们。',
    ],
    'same-input': [
      '查询、键和值是一样的吗？',
      '在[自注意力|self-attention]（self-attention）中，三个输入是同一个张量，但W_q、W_k和W_v不同，算出的查询、键和值也就不同。在[交叉注意力|cross-attention]（cross-attention）中，查询与键和值来自不同的序列。如果q和k是同样的数，一个词元对自己的分数就是‖q‖²/√d，从不为负，而且i给j的分数等于j给i的分数。',
    ],
    'why-sqrt-d': [
      '为什么要除以√d？',
      '如果q和k的分量相互独立，均值为0，方差为1，它们的点积的方差就是d。不除的话，大的头的[分数|score]（scores）会相差悬殊，以致[softmax]把几乎全部权重给一个键，那里的梯度接近0。除以√d后，对任何d，方差都是1。',
    ],
    'masked-queries': [
      '有效长度会掩蔽查询吗？',
      '不会，只掩蔽键：填充部分的查询同样在有效键上有总和为1的权重，也有输出。这没有害处，因为不对查询求平均：后面的层把它作为键掩蔽，损失也不计入它的输出。如果不是每个样本一个[有效长度|valid length]（valid length），而是每个查询一个，那么每个查询就掩蔽各自的键，[因果掩码|causal mask]（causal mask）就是这样。',
    ],
    'why-heads-differ': [
      '各个头做的是同样的事，为什么会不同？',
      '它们的参数一开始就是不同的随机数，因此得到不同的梯度，越走越远。参数完全相同（包括W_o的列）的头会得到相同的梯度，一直相同下去。损失并不要求各个头不同，训练之后，有些头做的事与别的头几乎一样。',
    ],
    ensemble: [
      '多个头是集成学习（ensemble）吗？',
      '不是通常意义上的集成：集成的成员分别训练，各自解决整个任务，再把它们的预测求平均。各个头由同一个损失一起训练，每个头只计算W_o求和中的一部分。一个头单独可能毫无用处，却为另一个头所需：[归纳头|induction head]（induction head）需要前面的层中有一个关注前一个词元的头。',
    ],
    'weight-importance': [
      '注意力权重就是重要性吗？',
      '不是：键j对该层输出的贡献是它的权重乘以v_j W_o，即使权重大，这个向量也可能很短。因此Kobayashi等人（2020）比较的是范数，即权重 × ‖v_j W_o‖。而即使贡献很大，对预测也可能无关紧要，这只有[消融|ablation]（ablation）才能说明。',
    ],
    'untrained-gate': [
      '为什么在未训练的模型中，门控说明不了什么？',
      '关闭一个[门控|gate]（gate）总会改变输出，但一个头是否重要，要看一个能完成任务的模型去掉它后损失是否增大。未训练的模型只是在猜：它的损失变化没有确定的正负，换一个种子就是另一种排序。先训练，再测量。',
    ],
    'softmax-over-outputs': [
      '为什么不用对输出的softmax给各个头加权？',
      '这样的[softmax]权重之和为1，各个头就要相互竞争，尽管可能同时需要好几个头全力以赴。它衡量的也只是输出有多大，而不是预测是否用到它：W_o可以缩小任何一个头。Voita等人（2019）给每个头一个自己的[门控|gate]（gate），并学习哪些可以关闭。',
    ],
    'more-heads': [
      '头越多越好吗？',
      '多本身并不意味着好：num_hiddens固定时，h个头的查询和键各有num_hiddens / h个特征。在Vaswani等人（2017）的实验中，8个和16个头得分最高，32个头低0.4 BLEU。训练之后，许多头可以剪去：Voita等人（2019）去掉了编码器48个头中的38个，只损失0.15 BLEU。',
    ],
  },
};
