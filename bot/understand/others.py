"""Questions about other programs and other work than serving a model, which share many words with tuning vLLM."""

from bot.understand.scan import grammar

# Engines and desktops that serve models too: how they compare with vLLM is answered, how to use them is not.
_ENGINE = grammar(
    r"\bollama\b|llama\.?cpp|\bllama-(?:server|cli|bench)\b|text-embeddings-(?:router|inference)|\blm ?studio\b|\bkobold\w*|oobabooga|text-generation-webui|\bexllama\w*|\bmlx\b|\blmdeploy\b"
    r"|\btgi\b|text-generation-inference|\bgpt4all\b|\bmlc-llm\b|\bktransformers\b|\bmindie\b"
)
_COMPARED = grammar(
    r"\bvllm|\bvs\b|\bversus\b|\bthan\b|\bcompar\w+|\binstead\b|\bswitch\w*|\bmigrat\w+|\bmov(?:e|ing)\b|\bcoming from\b|\bdifference|\bor\b"
    r"|比|对比|相比|还是|哪个|迁移|换成|区别|不如"
)
_VLLM = grammar(r"\bvllm")
_PICTURES = grammar(
    r"\b(?:comfyui|stable ?diffusion|sd ?webui|automatic1111|midjourney|photoshop|blender|unity|unreal|gaming|games?)\b|出图|游戏"
)
# Models that vLLM does not run, and services of others.
_UNSERVED = grammar(
    r"\b(?:yolo\w*|resnet\w*|u-?net|onnx\w*|openvino|coreml|tflite|opencv|xgboost|lightgbm|detectron\w*|segment anything)\b|目标检测|图像分类"
    r"|\b(?:openai|chatgpt|claude|anthropic|gemini|copilot)\b.{0,24}\b(?:account|billing|cost|price|pricing|subscription|quota|plan|key)\b"
)
_CHATBOT = grammar(r"\b(?:chatgpt|claude(?! code)|gemini|copilot|gpt-?[45][\w.]*)\b|豆包|通义千问|文心")
_OURS = grammar(r"\bvllm|\blocal\w*|self-?hosted|compatible|\bopen ?source|本地|私有化|对接|兼容|开源")
_NEWS = grammar(
    r"^is (?:the |our )?(?:cluster|site|wiki|jira|github|gitlab|vpn|network|internet|openai|slack) (?:down|up|ok|working|slow)\b"
)
# Programs that have nothing to do with a model unless it says so.
_PROGRAM = grammar(
    r"\b(?:excel|powerpoint|wordpress|vs ?code|pycharm|jupyter|notion|mysql|mariadb|postgres\w*|sqlite|mongo\w*|redis|kafka|rabbitmq|elasticsearch|clickhouse|milvus|chroma|faiss"
    r"|django|flask|laravel|rails|spring ?boot|jvm|java|tomcat|apache|nginx|haproxy|jenkins|terraform|ansible|webpack|npm|react|vue|android|iphone"
    r"|macbook|windows|pandas|numpy|(?<!dgx )spark|pyspark|hadoop|airflow|dataloader|cronjobs?|tensorflow|keras|sklearn|wandb|langchain|langgraph|llamaindex|autogen|crewai|chrome|celery|jwt|oauth|vpn|wifi|wi-fi|printer|cursor ide)\b"
    r"|电脑|手机|打印机|白屏|数据库|网页打不开"
)
# Chores with computers, beside which a word of ours means little.
_CHORE = grammar(
    r"\b(?:image|disk)s? (?:is |are )?(?:too big|full)\b|\bbuild cache\b|\blog-?in\b|\btaints?\b|\btutorials?\b|\btemplating\b|\bcert\w*.{0,12}\bexpired\b|\bon ubuntu\b"
    r"|\bprogramming\b|\bprompt engineering\b|\bweb ?app\b|镜像.{0,4}(?:太大|瘦身)|磁盘.{0,4}满|编程|教程|装包|上不了网"
)
_SERVED = grammar(
    r"\bvllm|\baborted request|\bllms?\b|\bmodels?\b|\btokens?\b|\bkv\b|\binference\b|\bstream\w*|\bgenerat\w+|\bprompts?\b|\bcompletions?\b|\bserv(?:e|ing)\b|\bttft\b"
    r"|推理|模型|显存|流式|生成|回答|大模型"
)
# Making a model is not serving one.
_TRAINING = grammar(
    r"\bfine-?\s?tun(?:e|es|ing)\b|\bsft\b|\bpre-?train\w*|\bqlora\b|\btrain(?:ing|er|s)?\b|\bepochs?\b|\bddp\b|\bfsdp\b|\bdeepspeed\b|\bmegatron\b|llama-?factory"
    r"|\bunsloth\b|\baxolotl\b|\bpeft\b|\bmerge (?:an? |the |my )?loras?\b|\bgrpo\b|\bppo\b|\brlhf\b|微调(?!(?:后|过|好|出来|完)|的?模型)|训练|预训练"
)
_SERVING = grammar(
    r"\bvllm|\bserv(?:e|es|ed|ing|er)\b|\binference\b|\bdeploy\w*|\brollouts?\b|\badapters?\b|\bttft\b|\bthroughput\b|推理|部署|上线|加载|并发|服务"
)
_BEST_MODEL = grammar(
    r"\b(?:which|what|best|recommend\w*)\b.{0,40}\bmodels?\b.{0,30}\b(?:for|at)\s(?:\w+\s){0,3}(?:rag|coding|code|writing|chat|search|translation|math|agents?|summar\w+|roleplay|ocr)"
    r"|哪个.{0,12}模型.{0,8}(?:好|最|强)|推荐.{0,10}模型.{0,4}(?:做|用于|写|搞)"
)
_HARDWARE = grammar(r"\bgpus?\b|\bvram\b|\bgb\b|\d\s?g\b|\bcards?\b|显存|显卡|卡|\bvllm")


def others(text: str) -> bool:
    """Whether a narrowed text in lower case asks about another program, about training, or which model is cleverest."""
    if _ENGINE.search(text):
        return _COMPARED.search(text) is None
    if (
        _PICTURES.search(text)
        or _UNSERVED.search(text)
        or ((_PROGRAM.search(text) or _CHORE.search(text)) and not _SERVED.search(text))
    ):
        return _VLLM.search(text) is None
    if (_CHATBOT.search(text) and not _OURS.search(text)) or _NEWS.search(text):
        return True
    if _TRAINING.search(text) and not _SERVING.search(text):
        return True
    return _BEST_MODEL.search(text) is not None and _HARDWARE.search(text) is None
